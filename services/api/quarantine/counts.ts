import { maxCountedItems, quarantineCounts } from '../../../shared/contracts/quarantine/items.ts';
import { campaignsInScope, clientsInScope } from '../access/scopes.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { DeadJobStore } from '../jobs/parts.ts';
import type { QuarantinedMessages, QuarantinedSteps } from './parts.ts';

export interface CountRouteDeps {
  messages: Pick<QuarantinedMessages, 'countKept'>;
  steps: Pick<QuarantinedSteps, 'countKept'>;
  deadJobs: Pick<DeadJobStore, 'count'>;
}

/**
 * Registers the route of the numbers that the console's sidebar requests each minute. The route reads at most 1,000
 * rows of each kind.
 */
export function countRoute(server: HttpServer, { messages, steps, deadJobs }: CountRouteDeps): void {
  server.route({
    method: 'GET',
    url: '/quarantine/counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'countQuarantined',
      summary: 'Count quarantined items by kind',
      description:
        'Items about which no person has decided and that the key may read. ' +
        `${maxCountedItems} means ${maxCountedItems} or more.`,
      tags: ['quarantine'],
      response: { 200: jsonAnswer('Numbers of items', quarantineCounts) },
    },
    handler: async (request) => {
      const [message, step, job] = await Promise.all([
        messages.countKept(maxCountedItems),
        steps.countKept(campaignsInScope(request), maxCountedItems),
        deadJobs.count({ clientIds: clientsInScope(request) }, maxCountedItems),
      ]);
      return { message, step, job };
    },
  });
}
