import { publicId } from '../ids/ids.ts';

/**
 * Returns the name of a notification's client, which no request can give to a client: this client sends only the
 * messages of its notification. The client has the notification's id.
 */
export function notificationClientName(notificationId: string): string {
  return `notification:${publicId('notification', notificationId)}`;
}

export function isNotificationClient({ name }: { name: string }): boolean {
  return name.startsWith('notification:');
}
