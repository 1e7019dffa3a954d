/** Name of the suppression list of all action types; the other lists have the name of their action type. */
export const allActionTypes = '*';

export interface SuppressedUser {
  user: string;
  list: string;
  /** Note from when the user was added to the list. */
  note: string | null;
}

export function isListed(lists: readonly string[], actionType: string): boolean {
  return lists.length > 0 && (lists.includes(actionType) || lists.includes(allActionTypes));
}

export function suppressionDetail(list: string, note: string | null): string {
  const name = list === allActionTypes ? 'all action types' : list;
  return note === null ? `on the suppression list of ${name}` : `on the suppression list of ${name}: ${note}`;
}
