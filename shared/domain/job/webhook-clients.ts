import { publicId } from '../ids/ids.ts';

/** The client of a webhook has its id, and a name that no person can give one: nothing but its notices is sent by it. */
export function webhookClientName(webhookId: string): string {
  return `webhook:${publicId('webhook', webhookId)}`;
}

export function isWebhookClient({ name }: { name: string }): boolean {
  return name.startsWith('webhook:');
}
