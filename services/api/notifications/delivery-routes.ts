import { z } from 'zod';
import { deliveryStates, notificationDelivery } from '../../../shared/contracts/notifications/notifications.ts';
import { decidedItems } from '../../../shared/contracts/quarantine/items.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../shared/domain/job/job-ids.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { refusingInvalidCursor } from '../frame/public-ids.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { DeadJobStore } from '../jobs/parts.ts';
import type { NotificationStore } from './postgres/notification-store.ts';
import { requireNotification, tags, notificationInPath } from './notification-routes.ts';
import { deliveryView } from './notification-view.ts';

export interface DeliveryRoutesDeps {
  notifications: NotificationStore;
  deadJobs: Pick<DeadJobStore, 'replayAll'>;
}

const outcomes = { sent: 'called', dead: 'dead', expired: 'expired', cancelled: 'cancelled' } as const;

export function deliveryRoutes(server: HttpServer, { notifications, deadJobs }: DeliveryRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/notifications/:id/deliveries',
    config: { role: 'viewer', scope: 'account' },
    schema: {
      operationId: 'listNotificationDeliveries',
      summary: 'List deliveries of a notification, newest first',
      tags,
      params: notificationInPath,
      querystring: pageQuery.extend({ state: z.enum(deliveryStates).optional() }),
      response: { 200: jsonAnswer('A page of deliveries', pageShape(notificationDelivery)) },
    },
    handler: async ({ params: { id }, query: { state, limit, cursor } }) => {
      const { notificationId } = await requireNotification(id, notifications);
      const outcome = state === undefined ? null : outcomes[state];
      const page = await refusingInvalidCursor(cursor, () =>
        notifications.deliveries(notificationId, outcome, limit, cursor ?? null),
      );
      return { items: page.items.map(deliveryView), next: page.next };
    },
  });

  server.route({
    method: 'POST',
    url: '/notifications/:id/test',
    config: { role: 'manager', scope: 'account', audit: 'sent a test of a notification' },
    schema: {
      operationId: 'testNotification',
      summary: 'Send a test',
      description: 'A message of the type `notification.test`, sent as all others are.',
      tags,
      headers: idempotentHeaders,
      params: notificationInPath,
      response: { 202: jsonAnswer('Id of the delivery', z.object({ id: z.string().describe('job_…') })) },
    },
    handler: async (request, reply) => {
      const { notificationId } = await requireNotification(request.params.id, notifications);
      const eventId = await notifications.test(notificationId);
      const jobId = jobIdOf(notificationId, publicId('notificationEvent', eventId));
      reply.code(202);
      return { id: publicId('job', jobId) };
    },
  });

  server.route({
    method: 'POST',
    url: '/notifications/:id/replay',
    config: { role: 'manager', scope: 'account', audit: 'replayed dead deliveries of a notification' },
    schema: {
      operationId: 'replayNotification',
      summary: 'Replay dead deliveries of a notification',
      description: 'They keep their webhook-ids. Expired deliveries are skipped.',
      tags,
      headers: idempotentHeaders,
      params: notificationInPath,
      response: { 200: jsonAnswer('Number of replayed deliveries', decidedItems) },
    },
    handler: async (request) => {
      const { notificationId } = await requireNotification(request.params.id, notifications);
      const { jobs: items, expired } = await deadJobs.replayAll(
        { clientIds: [notificationId] },
        { withExpired: false, perSecond: null },
      );
      request.auditDetail = { items, expired };
      return { items, expired };
    },
  });
}
