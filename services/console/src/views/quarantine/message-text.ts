import type { QuarantinedMessageDetail } from '#client/types.gen.ts';
import type { Effect } from '../../parts/overlays/effects.tsx';
import { titleOf } from '../../parts/words/action-titles.ts';
import { formatCount } from '../../parts/words/numbers.ts';

type Bytes = QuarantinedMessageDetail['value'];

/** Formats the content of a message: JSON with indentation, other texts unchanged, bytes as base64. */
export function contentInWords(bytes: Bytes): { note: string; text: string } {
  if (bytes === null) return { note: 'nothing', text: '' };
  if (bytes.encoding === 'base64') return { note: 'bytes, as base64', text: bytes.content };
  try {
    return { note: 'JSON', text: JSON.stringify(JSON.parse(bytes.content), null, 2) };
  } catch {
    return { note: 'text, no JSON', text: bytes.content };
  }
}

/** Returns `award-points AU` for the topic of a shard; other topics unchanged. */
export function topicInWords(topic: string): string {
  const [, action, country] = /\.([a-z][a-z0-9-]*)\.([A-Z]{2})$/.exec(topic) ?? [];
  return action === undefined || country === undefined ? topic : `${titleOf(action)} ${country}`;
}

const effects = {
  replay: {
    messages: 'Published again to the topic, byte for byte. What still cannot be understood comes back as a new item.',
    users: 'are called twice: whatever a message names is served under the same keys as ever.',
  },
  discard: {
    messages: 'Listed as discarded until the retention of messages ends, and not published again.',
    users: 'are lost by it: the trigger sweeps runs by the rows of the database, and feeds what is missing anew.',
  },
} as const;

export function effectsOnMessages(verb: keyof typeof effects, items: number): Effect[] {
  const { messages, users } = effects[verb];
  return [
    { value: formatCount(items), unit: items === 1 ? 'message' : 'messages', isHot: true, children: messages },
    { value: '0', unit: 'users', children: users },
  ];
}
