import type { z } from 'zod';
import type {
  deadLetterContent,
  deadLetterGroup,
  DeadLetterShape,
} from '../../../shared/contracts/messages/dead-letters.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { DeadLetterBytes, DeadLetterGroupRow, DeadLetterRow } from './postgres/dead-letter-store.ts';

export function deadLetterView(letter: DeadLetterRow): DeadLetterShape {
  const { letterId, topic, partition, offset, reason, state, replays, bytes, createdAt, settledAt } = letter;
  return {
    id: publicId('deadLetter', letterId),
    topic,
    partition,
    offset,
    reason,
    state,
    replays,
    bytes,
    createdAt: createdAt.toISOString(),
    settledAt: settledAt?.toISOString() ?? null,
  };
}

export function deadLetterContentView(letter: DeadLetterRow & DeadLetterBytes): z.infer<typeof deadLetterContent> {
  const { key, value, bytes } = letter;
  const isCut = value !== null && value.length < bytes;
  return { ...deadLetterView(letter), key: bytesView(key), value: bytesView(value), cut: isCut };
}

export function deadLetterGroupView(group: DeadLetterGroupRow): z.infer<typeof deadLetterGroup> {
  const { topic, reason, letters, firstAt, lastAt } = group;
  return { topic, reason, letters, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString() };
}

/** Control characters but tab and line breaks: what shows them to a terminal must not be steered by who wrote them. */
const isSteering = (text: string) => /\p{Cc}/u.test(text.replaceAll(/[\t\n\r]/g, ''));

function bytesView(bytes: Buffer | null): { encoding: 'text' | 'base64'; content: string } | null {
  if (!bytes) return null;
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !isSteering(text);
  return isText ? { encoding: 'text', content: text } : { encoding: 'base64', content: bytes.toString('base64') };
}
