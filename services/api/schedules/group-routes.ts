import { z } from 'zod';
import { groupDefinition, groupName, groupShape } from '../../../shared/contracts/schedules/schedules.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { notFound } from '../frame/http-problem.ts';
import type { GroupStore } from './schedule-store.port.ts';
import { groupView } from './schedule-view.ts';

export interface GroupRoutesDeps {
  groups: GroupStore;
}

const byName = z.object({ name: groupName });
const tags = ['groups'];

export function groupRoutes(server: HttpServer, { groups }: GroupRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/groups',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listGroups',
      summary: 'List groups, by name',
      tags,
      response: { 200: jsonAnswer('All groups', pageShape(groupShape)) },
    },
    handler: async () => ({ items: (await groups.listGroups()).map(groupView), next: null }),
  });

  server.route({
    method: 'GET',
    url: '/groups/:name',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'getGroup',
      summary: 'Show a group',
      tags,
      params: byName,
      response: { 200: jsonAnswer('The group', groupShape), ...problems(422) },
    },
    handler: async ({ params: { name } }) => {
      const group = await groups.getGroup(name);
      if (!group) throw notFound('group', name);
      return groupView(group);
    },
  });

  server.route({
    method: 'PUT',
    url: '/groups/:name',
    config: { role: 'operator', scope: 'installation', never: [404], audit: 'set a group of schedules' },
    schema: {
      operationId: 'putGroup',
      summary: 'Create or replace a group',
      description: 'Schedules use it from their next fire on.',
      tags,
      params: byName,
      body: groupDefinition,
      response: { 200: jsonAnswer('The group', groupShape) },
    },
    handler: async ({ params: { name }, body }) => groupView(await groups.putGroup({ name, ...body })),
  });

  server.route({
    method: 'DELETE',
    url: '/groups/:name',
    config: { role: 'operator', scope: 'installation', never: [404], audit: 'deleted a group of schedules' },
    schema: {
      operationId: 'deleteGroup',
      summary: 'Delete a group',
      description: 'Schedules that name it continue without it. Deleting it again changes nothing.',
      tags,
      params: byName,
      response: { 204: z.null().describe('The group is deleted'), ...problems(422) },
    },
    handler: async ({ params: { name } }, reply) => {
      await groups.removeGroup(name);
      return reply.code(204).send(null);
    },
  });
}
