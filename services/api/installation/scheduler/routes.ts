import { z } from 'zod';
import {
  enabledHost,
  hostSelection,
  regionsShape,
  regionSwitch,
  schedulerShape,
} from '../../../../shared/contracts/jobs/scheduler.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { holdsAll } from '../../../../shared/domain/scopes.ts';
import { scopeOf } from '../../access/scopes.ts';
import type { ApiParts } from '../../api-parts.ts';
import { requireNamedClient, requireNamedEndpoint, refreshForEndpoint } from '../../clients/named-client.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { HttpProblem, quoted } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { createSchedulerStatus, type RegionStatus } from './postgres/scheduler-status.ts';
import { regionsView, schedulerView } from './scheduler-view.ts';

const tag = 'scheduler';

export const tags = [{ name: tag, description: 'Schedulers and dispatchers, and their lag' }];

const byName = z.object({ region: z.string() });

export function routes(server: HttpServer, { pool, clients }: ApiParts): void {
  const schedulerStatus = createSchedulerStatus({ pool });
  server.route({
    method: 'GET',
    url: '/scheduler',
    config: { role: 'viewer', scope: 'client' },
    schema: {
      operationId: 'getScheduler',
      summary: 'Show regions, nodes, leaders, partitions, hosts with an open circuit, backlog and lag',
      tags: [tag],
      response: { 200: jsonAnswer('State of scheduling', schedulerShape) },
    },
    handler: async (request) => {
      const stored = await schedulerStatus.read();
      const { clients: seen } = scopeOf(request);
      return schedulerView({ ...stored, hosts: stored.hosts.filter(({ clientId }) => holdsAll(seen, [clientId])) });
    },
  });

  server.route({
    method: 'POST',
    url: '/scheduler/regions/:region/switch',
    config: { role: 'operator', scope: 'installation', audit: 'switched to a region' },
    schema: {
      operationId: 'switchRegion',
      summary: 'Make a region the only one that offers and claims jobs',
      description:
        'For a split brain, or to drain a region: after this answer, claims of other regions are refused, even if they still consider themselves ' +
        'active. Results of calls in progress are still recorded.',
      tags: [tag],
      headers: idempotentHeaders,
      params: byName,
      body: regionSwitch,
      response: { 200: jsonAnswer('All regions', regionsShape) },
    },
    handler: async (request) => {
      const { region } = request.params;
      request.auditDetail = { region, ...request.body };
      return known(region, await schedulerStatus.switchTo(region, request.body.reason ?? null));
    },
  });

  server.route({
    method: 'POST',
    url: '/scheduler/regions/:region/activate',
    config: { role: 'operator', scope: 'installation', audit: 'activated a region' },
    schema: {
      operationId: 'activateRegion',
      summary: 'Allow a region to offer and claim jobs again',
      tags: [tag],
      headers: idempotentHeaders,
      params: byName,
      response: { 200: jsonAnswer('All regions', regionsShape) },
    },
    handler: async (request) => {
      const { region } = request.params;
      request.auditDetail = { region };
      return known(region, await schedulerStatus.activate(region));
    },
  });

  server.route({
    method: 'POST',
    url: '/scheduler/hosts/enable',
    config: {
      role: 'operator',
      scope: 'client',
      audit: 'closed the circuit of a host',
      refusals: { 'unknown-endpoint': 'the client has no endpoint of this name' },
    },
    schema: {
      operationId: 'enableHost',
      summary: 'Close the circuit of a host and release its sidelined jobs at once',
      tags: [tag],
      headers: idempotentHeaders,
      body: hostSelection,
      response: { 200: jsonAnswer('The host', enabledHost), ...problems(404) },
    },
    handler: async (request) => {
      const { client: ref, endpoint: name, host } = request.body;
      const client = await refreshForEndpoint(await requireNamedClient(ref, scopeOf(request), clients), name, clients);
      const { clientId } = client;
      request.auditDetail = { client: ref, ...(name !== undefined && { endpoint: name }), host };
      await schedulerStatus.enableHost(requireNamedEndpoint(client, name, '/endpoint').endpointId, host);
      return { clientId: publicId('client', clientId), host };
    },
  });
}

function known(region: string, regions: readonly RegionStatus[] | undefined) {
  if (regions) return regionsView(regions);
  throw new HttpProblem({ status: 404, code: 'region-not-found', detail: `there is no region ${quoted(region)}` });
}
