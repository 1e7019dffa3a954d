import type { QuarantinedMessageDetail } from '#client/types.gen.ts';
import type { Effect } from '../../parts/overlays/effects.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { formatCount } from '../../parts/words/numbers.ts';

type Bytes = QuarantinedMessageDetail['value'];

/** Formats the content of a message: JSON with indentation, other texts unchanged, bytes as base64. */
export function formatContent(bytes: Bytes): { note: string; text: string } {
  if (bytes === null) return { note: 'empty', text: '' };
  if (bytes.encoding === 'base64') return { note: 'bytes, as base64', text: bytes.content };
  try {
    return { note: 'JSON', text: JSON.stringify(JSON.parse(bytes.content), null, 2) };
  } catch {
    return { note: 'text, not JSON', text: bytes.content };
  }
}

/** Returns `award-points AU` for the topic of a shard; other topics unchanged. */
export function formatTopic(topic: string): string {
  const [, action, country] = /\.([a-z][a-z0-9-]*)\.([A-Z]{2})$/.exec(topic) ?? [];
  return action === undefined || country === undefined ? topic : `${titleOf(action)} ${country}`;
}

const effects = {
  replay: {
    messages:
      'Published again to the topic with the same bytes. Messages that still cannot be parsed return as new items.',
    users: 'are called twice: calls keep their keys.',
  },
  discard: {
    messages: 'Listed as discarded until the retention of messages ends, and not published again.',
    users: 'are lost: the trigger compares runs with the database and feeds missing batches again.',
  },
} as const;

export function describeMessageEffects(verb: keyof typeof effects, items: number): Effect[] {
  const { messages, users } = effects[verb];
  return [
    { value: formatCount(items), unit: items === 1 ? 'message' : 'messages', isHot: true, children: messages },
    { value: '0', unit: 'users', children: users },
  ];
}
