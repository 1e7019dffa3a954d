import { z } from 'zod';
import { listedUser } from '../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { StoredAudiences } from '../../../../shared/ports/stored-audiences.ts';
import { answerList, csv, ndjson } from '../../frame/streams/answer-list.ts';
import { problems, streamed } from '../../frame/document/answer-shapes.ts';
import { stateForbids } from '../../frame/http-problem.ts';
import type { Page } from '../../frame/page.port.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { invalidCursor, requireId } from '../../frame/public-ids.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { linesQuery, requireList, type ListRoutesDeps } from './list-routes.ts';
import { usersOfList, type ListedUser } from './users-of-list.ts';

export interface ListUsersDeps extends ListRoutesDeps {
  storedAudiences: Pick<StoredAudiences, 'listPage'>;
}

export function usersRoute(server: HttpServer, { audiences, storedAudiences }: ListUsersDeps): void {
  server.route({
    method: 'GET',
    url: '/audiences/:id/users',
    config: { role: 'viewer', scope: 'users', heavy: 'exports', audit: 'exported the users of an uploaded list' },
    schema: {
      operationId: 'listAudienceUsers',
      summary: 'List the users of an uploaded list, with their countries',
      description: `By country, then by id. With \`Accept: ${csv}\` or \`${ndjson}\`, all of them in one response.`,
      tags: ['audiences'],
      params: z.object({ id: z.string().describe('aud_…') }),
      querystring: linesQuery,
      response: {
        200: {
          description: 'A page of users',
          content: {
            'application/json': { schema: pageShape(listedUser) },
            [csv]: streamed,
            [ndjson]: streamed,
          },
        },
        ...problems(409),
      },
    },
    handler: async ({ params: { id }, query, headers: { accept }, method }, reply) => {
      const list = await requireList({ id, uuid: requireId('audience', id) }, { audiences });
      if (list.state !== 'ready') throw stateForbids(`${id} is ${list.state}: only a list that is ready has users`);
      const { limit, cursor, format, raw, for: reader } = query;
      return answerList(
        reply,
        { accept, format, method, limit, cursor, raw, reader },
        {
          fileName: `${id}-users`,
          columns: ['user', 'country'],
          requireSubject: () => Promise.resolve(),
          pageOf: async (most, after) => pageOfUsers(usersOfList(list, storedAudiences, userOf(after)), most),
          view: (row) => row,
        },
      );
    },
  });
}

async function pageOfUsers(users: AsyncIterable<ListedUser>, most: number): Promise<Page<ListedUser>> {
  const items: ListedUser[] = [];
  for await (const user of users) {
    const last = items.at(-1);
    if (last && items.length === most) return { items, next: cursorOf(last) };
    items.push(user);
  }
  return { items, next: null };
}

const userShape = z.tuple([z.string().min(1), z.string().min(1)]);

function cursorOf({ country, user }: ListedUser): string {
  return Buffer.from(JSON.stringify([country, user])).toString('base64url');
}

function userOf(cursor: string | null): ListedUser | null {
  if (cursor === null) return null;
  try {
    const [country, user] = userShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { country, user };
  } catch {
    throw invalidCursor(cursor);
  }
}
