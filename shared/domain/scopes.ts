/** What of an installation a key is for. Null: all of that kind; empty: none. */
export interface Scope {
  /** Ids of clients, whose jobs and schedules it sees and may touch. */
  clients: readonly string[] | null;
  /** Of campaigns that it may change: all of a campaign's countries have to be among them. */
  countries: readonly string[] | null;
  /** The same of the actions of a campaign's chain. */
  actionTypes: readonly string[] | null;
}

export const wholeScope: Scope = { clients: null, countries: null, actionTypes: null };

export function isWhole(scope: Scope): boolean {
  return scope.clients === null && scope.countries === null && scope.actionTypes === null;
}

/** Whether nothing is in the inner one that is not in the outer one. */
export function isWithin(inner: Scope, outer: Scope): boolean {
  return (
    holdsAll(outer.clients, inner.clients) &&
    holdsAll(outer.countries, inner.countries) &&
    holdsAll(outer.actionTypes, inner.actionTypes)
  );
}

/** @param values null: all that there could be */
export function holdsAll(of: readonly string[] | null, values: readonly string[] | null): boolean {
  if (of === null) return true;
  return values?.every((value) => of.includes(value)) ?? false;
}
