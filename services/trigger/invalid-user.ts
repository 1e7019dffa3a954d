import { createHash } from 'node:crypto';
import { brokenUserIdRule, escapeUserId, maxUserIdBytes, type UserIdRule } from '../../shared/domain/user-id.ts';

/** A user that belongs to the audience and can never be sent. */
export interface InvalidUser {
  /** As it may be shown and stored; different ids stay different. */
  user: string;
  rule: UserIdRule;
}

const digestDigits = 8;

/** Null for an id that may be sent. */
export function invalidUserOf(id: string): InvalidUser | null {
  const rule = brokenUserIdRule(id);
  return rule === null ? null : { user: shown(id), rule };
}

/** Where something was cut off, a digest of the whole id stands for it. */
function shown(id: string): string {
  const escaped = escapeUserId(id);
  if (Buffer.byteLength(id, 'utf8') <= maxUserIdBytes) return escaped;
  const digest = createHash('sha256').update(id.toWellFormed(), 'utf8').digest('hex');
  return `${escaped}…#${digest.slice(0, digestDigits)}`;
}
