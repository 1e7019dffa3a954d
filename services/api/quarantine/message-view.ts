import type { z } from 'zod';
import type {
  quarantinedMessageDetail,
  quarantinedMessageGroup,
  QuarantinedMessageShape,
} from '../../../shared/contracts/quarantine/messages.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { MessageBytes, MessageGroupRow, MessageRow } from './postgres/message-store.ts';

export function messageView(message: MessageRow): QuarantinedMessageShape {
  const { messageId, topic, partition, offset, reason, state, replays, bytes, since, decidedAt } = message;
  return {
    kind: 'message',
    id: publicId('deadLetter', messageId),
    reason,
    state,
    since: since.toISOString(),
    decidedAt: decidedAt?.toISOString() ?? null,
    topic,
    partition,
    offset,
    replays,
    bytes,
  };
}

export function messageDetailView(message: MessageRow & MessageBytes): z.infer<typeof quarantinedMessageDetail> {
  const { key, value, bytes } = message;
  const isCut = value !== null && value.length < bytes;
  return { ...messageView(message), key: bytesView(key), value: bytesView(value), cut: isCut };
}

export function messageGroupView(group: MessageGroupRow): z.infer<typeof quarantinedMessageGroup> {
  const { topic, reason, items, firstAt, lastAt } = group;
  return { kind: 'message', reason, items, firstAt: firstAt.toISOString(), lastAt: lastAt.toISOString(), topic };
}

/**
 * Returns true if a text has control characters other than tab and line breaks, because these could change what a
 * terminal shows.
 */
const isSteering = (text: string) => /\p{Cc}/u.test(text.replaceAll(/[\t\n\r]/g, ''));

function bytesView(bytes: Buffer | null): { encoding: 'text' | 'base64'; content: string } | null {
  if (!bytes) return null;
  const text = bytes.toString('utf8');
  const isText = Buffer.from(text).equals(bytes) && !isSteering(text);
  return isText ? { encoding: 'text', content: text } : { encoding: 'base64', content: bytes.toString('base64') };
}
