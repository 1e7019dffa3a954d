import { publicId } from '../ids/ids.ts';

/** The client of a webhook has its id, and a name that no request can give one: it sends nothing but its notices. */
export function webhookClientName(webhookId: string): string {
  return `webhook:${publicId('webhook', webhookId)}`;
}

export function isWebhookClient({ name }: { name: string }): boolean {
  return name.startsWith('webhook:');
}
