import { brokenUserIdRule, escapeUserId, type UserIdRule } from '../../../shared/domain/ids/user-id.ts';

/** A user that belongs to the audience and can never be sent. */
export interface InvalidUser {
  /** As it may be shown and stored; different ids stay different. */
  user: string;
  rule: UserIdRule;
}

/** Null for an id that may be sent. */
export function invalidUserOf(id: string): InvalidUser | null {
  const rule = brokenUserIdRule(id);
  return rule === null ? null : { user: escapeUserId(id), rule };
}
