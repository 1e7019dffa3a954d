import { brokenUserIdRule, escapeUserId, type UserIdRule } from '../../../shared/domain/ids/user-id.ts';

/** User of the audience whose id is invalid, so that it can never be sent. */
export interface InvalidUser {
  /** Escaped id for display and storage. Different ids stay different. */
  user: string;
  rule: UserIdRule;
}

/** Returns null for a valid id. */
export function invalidUserOf(id: string): InvalidUser | null {
  const rule = brokenUserIdRule(id);
  return rule === null ? null : { user: escapeUserId(id), rule };
}
