import { maskUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import type { NotificationDelivery, NotificationShape } from '../../../shared/contracts/notifications/notifications.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { DeliveryRecord, NotificationRecord } from './postgres/notification-store.ts';

export function notificationView(notification: NotificationRecord): NotificationShape {
  const { notificationId, revision, url, definition, terms, waiting, dead, lastSent, createdAt } = notification;
  const id = publicId('notification', notificationId);
  const self = `/v1/notifications/${id}`;
  return {
    id,
    revision,
    url: maskUrl(url),
    ...definition,
    egress: terms.egress,
    client: publicId('client', notificationId),
    waiting,
    dead,
    lastSent,
    createdAt: createdAt.toISOString(),
    links: { self, deliveries: `${self}/deliveries` },
  };
}

const states: Readonly<Record<string, NotificationDelivery['state']>> = {
  called: 'sent',
  dead: 'dead',
  expired: 'expired',
  cancelled: 'cancelled',
};

export function deliveryView({
  jobId,
  event,
  outcome,
  at,
  attempt,
  status,
  error,
}: DeliveryRecord): NotificationDelivery {
  const state = states[outcome] ?? 'cancelled';
  return {
    id: publicId('job', jobId),
    event,
    state,
    at: at.toISOString(),
    attempts: attempt,
    status,
    cause: state === 'sent' ? null : error,
  };
}
