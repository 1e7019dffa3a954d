import { z } from 'zod';
import type { ApiParts } from '../../api-parts.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { requireActionType } from './require-action-type.ts';
import { suppressionUploadRoutes } from './suppression-upload-routes.ts';
import {
  createSuppressionStore,
  type SuppressionListRecord,
  type SuppressionStore,
} from './postgres/suppression-store.ts';
import { createSuppressionUploads } from './postgres/suppression-uploads.ts';
import {
  listName,
  maxSuppressedAtOnce,
  peopleToSuppress,
  suppressedPeople,
  suppressedUser,
  suppressionList,
  type SuppressionListShape,
} from './suppressions.contract.ts';

interface SuppressionDeps {
  suppressions: SuppressionStore;
  catalogue: Pick<CatalogueReader, 'registered' | 'refresh'>;
}

const tag = 'suppressions';

export const tags = [{ name: tag, description: 'Users that action types never call' }];

const byUser = z.object({ userId: z.string().min(1).max(1000).describe('As it is, percent-encoded') });

export async function routes(server: HttpServer, parts: ApiParts): Promise<void> {
  const deps = { ...parts, suppressions: createSuppressionStore(parts) };
  listRoute(server, deps);
  addRoute(server, deps);
  userRoute(server, deps);
  removeRoute(server, deps);
  await suppressionUploadRoutes(server, { ...deps, suppressionUploads: createSuppressionUploads(parts) });
}

function listRoute(server: HttpServer, { suppressions }: SuppressionDeps): void {
  server.route({
    method: 'GET',
    url: '/suppressions',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listSuppressionLists',
      summary: 'List suppression lists, by action type',
      tags: [tag],
      response: { 200: jsonAnswer('All of them', pageShape(suppressionList)) },
    },
    handler: async () => ({ items: (await suppressions.lists()).map(listView), next: null }),
  });
}

function addRoute(server: HttpServer, { suppressions, catalogue }: SuppressionDeps): void {
  server.route({
    method: 'POST',
    url: '/suppressions',
    config: {
      role: 'operator',
      scope: 'installation',
      audit: 'added users to the suppressions',
      refusals: { 'unknown-action-type': 'the action type is not registered' },
    },
    schema: {
      operationId: 'suppressUsers',
      summary: 'Add users to a suppression list',
      description:
        `At most ${maxSuppressedAtOnce} users. Batches that a worker claims after the response call none of them, also in runs that are under way: ` +
        'the users end as `suppressed` in the step, and are skipped after it. A batch that was claimed before may still be called within ' +
        '`lastCallWithinMs`. A call whose response was lost is settled with the same bytes.',
      tags: [tag],
      headers: idempotentHeaders,
      body: peopleToSuppress,
      response: { 200: jsonAnswer('The list', suppressedPeople) },
    },
    handler: async (request) => {
      const { actionType, users, note = null } = request.body;
      await requireActionType(actionType, catalogue);
      const change = await suppressions.add(actionType, users, note);
      request.auditDetail = { actionType, users: change.users };
      const lastCallWithinMs = await suppressions.lastCallWithinMs();
      return { ...listView(change.list), added: change.users, lastCallWithinMs };
    },
  });
}

function userRoute(server: HttpServer, { suppressions }: SuppressionDeps): void {
  server.route({
    method: 'GET',
    url: '/suppressions/users/:userId',
    config: { role: 'viewer', scope: 'users' },
    schema: {
      operationId: 'getSuppressedUser',
      summary: 'List the suppression lists that a user is on',
      tags: [tag],
      params: byUser,
      response: { 200: jsonAnswer('The lists; none if the user is on no list', suppressedUser) },
    },
    handler: async ({ params: { userId } }) => {
      const lists = await suppressions.listsOf(userId);
      return { userId, lists: lists.map((list) => ({ ...list, addedAt: list.addedAt.toISOString() })) };
    },
  });
}

function removeRoute(server: HttpServer, { suppressions }: SuppressionDeps): void {
  server.route({
    method: 'DELETE',
    url: '/suppressions/users/:userId',
    config: {
      role: 'operator',
      scope: 'installation',
      audit: 'removed a user from the suppressions',
      refusals: { 'unknown-action-type': 'the action type is not registered' },
    },
    schema: {
      operationId: 'unsuppressUser',
      summary: 'Remove a user from a suppression list',
      description:
        'Claims from now on may call the user again. Runs that have already suppressed the user do not serve ' +
        'the user any more. Repeating it changes nothing.',
      tags: [tag],
      params: byUser,
      querystring: z.strictObject({ actionType: listName }),
      response: { 204: z.null().describe('The user is not on the list') },
    },
    handler: async (request, reply) => {
      const { actionType } = request.query;
      const change = await suppressions.remove(actionType, [request.params.userId]);
      request.auditDetail = { actionType, users: change?.users ?? 0 };
      return reply.code(204).send(null);
    },
  });
}

function listView({ changedAt, ...list }: SuppressionListRecord): SuppressionListShape {
  return { ...list, changedAt: changedAt.toISOString() };
}
