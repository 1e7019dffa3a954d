import type { DeadLetterContent } from '#client/types.gen.ts';
import { titleOf } from '../../parts/words/action-titles.ts';

type Bytes = DeadLetterContent['value'];

/** What a message holds, as it can be read: JSON is laid out, other texts stay as they are, bytes are shown as such. */
export function contentInWords(bytes: Bytes): { note: string; text: string } {
  if (bytes === null) return { note: 'nothing', text: '' };
  if (bytes.encoding === 'base64') return { note: 'bytes, as base64', text: bytes.content };
  try {
    return { note: 'JSON', text: JSON.stringify(JSON.parse(bytes.content), null, 2) };
  } catch {
    return { note: 'text, no JSON', text: bytes.content };
  }
}

/** `award-points AU` for the topic of a shard; the topic itself where it is another one. */
export function topicInWords(topic: string): string {
  const [, action, country] = /\.([a-z][a-z0-9-]*)\.([A-Z]{2})$/.exec(topic) ?? [];
  return action === undefined || country === undefined ? topic : `${titleOf(action)} ${country}`;
}
