import { publicId } from '../ids/ids.ts';

/**
 * Returns the name of a webhook's client, which no request can give to a client: this client sends only the notices of
 * its webhook. The client has the webhook's id.
 */
export function webhookClientName(webhookId: string): string {
  return `webhook:${publicId('webhook', webhookId)}`;
}

export function isWebhookClient({ name }: { name: string }): boolean {
  return name.startsWith('webhook:');
}
