import { shownUrl } from '../../../shared/contracts/jobs/stored-calls.ts';
import type { WebhookDelivery, WebhookShape } from '../../../shared/contracts/webhooks/webhooks.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { DeliveryRecord, WebhookRecord } from './postgres/webhook-store.ts';

export function webhookView(webhook: WebhookRecord): WebhookShape {
  const { webhookId, revision, url, definition, client, waiting, dead, lastSent, createdAt } = webhook;
  const id = publicId('webhook', webhookId);
  const self = `/v1/webhooks/${id}`;
  return {
    id,
    revision,
    url: shownUrl(url),
    ...definition,
    egress: client.egress,
    client: publicId('client', webhookId),
    waiting,
    dead,
    lastSent,
    createdAt: createdAt.toISOString(),
    links: { self, deliveries: `${self}/deliveries` },
  };
}

const states: Readonly<Record<string, WebhookDelivery['state']>> = {
  called: 'sent',
  dead: 'dead',
  expired: 'expired',
  cancelled: 'cancelled',
};

export function deliveryView({ jobId, event, outcome, at, attempt, status, error }: DeliveryRecord): WebhookDelivery {
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
