import { brokenUserIdRule, escapeUserId, type UserIdRule } from '../../../shared/domain/ids/user-id.ts';

/** User of the audience whose id is invalid, so that no request can contain the user. */
export interface InvalidUser {
  /** The id in escaped form, for display and storage. Different ids have different escaped forms. */
  user: string;
  rule: UserIdRule;
}

/** Returns null for a valid id. */
export function invalidUserOf(id: string): InvalidUser | null {
  const rule = brokenUserIdRule(id);
  return rule === null ? null : { user: escapeUserId(id), rule };
}
