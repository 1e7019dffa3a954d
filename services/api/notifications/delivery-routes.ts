import { z } from 'zod';
import { delivery, deliveryStates, sentAgain } from '../../../shared/contracts/webhooks/webhooks.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { refusingInvalidCursor } from '../frame/public-ids.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { DeadJobStore } from '../jobs/parts.ts';
import type { WebhookStore } from './postgres/webhook-store.ts';
import { requireWebhook, tags, webhookInPath } from './webhook-routes.ts';
import { deliveryView } from './webhook-view.ts';

export interface DeliveryRoutesDeps {
  webhooks: WebhookStore;
  deadJobs: Pick<DeadJobStore, 'replayAll'>;
}

const outcomes = { sent: 'called', dead: 'dead', expired: 'expired', cancelled: 'cancelled' } as const;

export function deliveryRoutes(server: HttpServer, { webhooks, deadJobs }: DeliveryRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/webhooks/:id/deliveries',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'listWebhookDeliveries',
      summary: 'What became of its notices, the last first',
      tags,
      params: webhookInPath,
      querystring: pageQuery.extend({ state: z.enum(deliveryStates).optional() }),
      response: { 200: jsonAnswer('A page of notices', pageShape(delivery)) },
    },
    handler: async ({ params: { id }, query: { state, limit, cursor } }) => {
      const { webhookId } = await requireWebhook(id, webhooks);
      const outcome = state === undefined ? null : outcomes[state];
      const page = await refusingInvalidCursor(cursor, () =>
        webhooks.deliveries(webhookId, outcome, limit, cursor ?? null),
      );
      return { items: page.items.map(deliveryView), next: page.next };
    },
  });

  server.route({
    method: 'POST',
    url: '/webhooks/:id/test',
    config: { role: 'manager', scope: 'account', audit: 'sent a test notice of a webhook' },
    schema: {
      operationId: 'testWebhook',
      summary: 'Send it a test',
      description: 'A notice of the type `webhook.test`, on the way that all of them go.',
      tags,
      headers: idempotentHeaders,
      params: webhookInPath,
      response: { 202: jsonAnswer('Its delivery', z.object({ id: z.string().describe('job_…') })) },
    },
    handler: async (request, reply) => {
      const { webhookId } = await requireWebhook(request.params.id, webhooks);
      const eventId = await webhooks.test(webhookId);
      const jobId = jobIdOf(webhookId, publicId('webhookEvent', eventId));
      reply.code(202);
      return { id: publicId('job', jobId) };
    },
  });

  server.route({
    method: 'POST',
    url: '/webhooks/:id/send-again',
    config: { role: 'manager', scope: 'account', audit: 'sent dead notices of a webhook again' },
    schema: {
      operationId: 'sendNoticesAgain',
      summary: 'Send its dead notices again',
      description: 'Under the same webhook-ids. What had expired is left alone.',
      tags,
      headers: idempotentHeaders,
      params: webhookInPath,
      response: { 200: jsonAnswer('How many', sentAgain) },
    },
    handler: async (request) => {
      const { webhookId } = await requireWebhook(request.params.id, webhooks);
      const { jobs, expired } = await deadJobs.replayAll(
        { clientIds: [webhookId] },
        { withExpired: false, perSecond: null },
      );
      request.auditDetail = { notices: jobs, expired };
      return { notices: jobs, expired };
    },
  });
}
