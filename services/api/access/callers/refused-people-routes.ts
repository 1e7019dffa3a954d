import { z } from 'zod';
import { refusedPerson, type RefusedPersonShape } from '../../../../shared/contracts/access/callers.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { pageLimit } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import type { RefusedPeopleReader, RefusedPersonRecord } from './postgres/refused-people.ts';

export interface RefusedPeopleRoutesDeps {
  refusedPeople: RefusedPeopleReader;
}

/** Registers the list of refused people. They have no scope, so only unrestricted keys may read them. */
export function refusedPeopleRoutes(server: HttpServer, { refusedPeople }: RefusedPeopleRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/refused-people',
    config: { role: 'operator', scope: 'installation' },
    schema: {
      operationId: 'listRefusedPeople',
      summary: 'List those whom the issuer vouches for and who were refused in the last thirty days',
      description:
        'People and programs whose token grants nothing here, and those who are shut out; the last ones first. The last thousand are kept. Whoever ' +
        'comes with a token that is forged, has expired or is for others is nobody that is known, and is not among them.',
      tags: ['keys'],
      querystring: z.strictObject({ limit: pageLimit.default(50) }),
      response: { 200: jsonAnswer('Who', z.object({ items: z.array(refusedPerson) })) },
    },
    handler: async ({ query: { limit } }) => ({ items: (await refusedPeople(limit)).map(personView) }),
  });
}

function personView({ key, firstAt, lastAt, ...person }: RefusedPersonRecord): RefusedPersonShape {
  return {
    ...person,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    keyId: key === null ? null : publicId('apiKey', key),
  };
}
