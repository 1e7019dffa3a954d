import type { Paint } from '../../show/paint.ts';
import type { Shop } from '../shop/shop-services.ts';

/** Returns a line with the URL of the inbox. */
export function describeInbox({ inbox }: Pick<Shop, 'inbox'>, paint: Paint): string {
  return `  ${paint.strong('inbox')}    ${inbox.pageUrl}\n`;
}
