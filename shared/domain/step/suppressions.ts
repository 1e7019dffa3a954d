/** Stands for the suppression list of all action types, where the others have the name of theirs. */
export const allActionTypes = '*';

export interface SuppressedUser {
  user: string;
  /** The action type that it is for, or `allActionTypes`. */
  list: string;
  /** What was said when the user came onto it. */
  note: string | null;
}

/** Whether a list among these is for an action type. */
export function isListed(lists: readonly string[], actionType: string): boolean {
  return lists.length > 0 && (lists.includes(actionType) || lists.includes(allActionTypes));
}

/** For people: which list the user is on, and what was said there. */
export function suppressionDetail(list: string, note: string | null): string {
  const name = list === allActionTypes ? 'all action types' : list;
  return note === null ? `on the suppression list of ${name}` : `on the suppression list of ${name}: ${note}`;
}
