/** What of an installation a key is for. Null: all of that kind; empty: none. */
export interface Scope {
  /** Ids of clients, whose jobs and schedules it sees and may touch. */
  clients: readonly string[] | null;
  /** Countries of campaigns. It sees a campaign that has one of them, and changes one that has no others. */
  countries: readonly string[] | null;
  /** The same of the actions of a campaign's chain. */
  actionTypes: readonly string[] | null;
  /** True: it reads the users of each campaign that it sees, and those that are suppressed. Undefined is false. */
  users?: boolean | undefined;
}

/** Countries and action types in which a campaign, or a list of users, has an effect. */
export interface CampaignReach {
  countries: readonly string[];
  actionTypes: readonly string[];
}

/** The part of a scope that bounds campaigns. */
export type CampaignScope = Pick<Scope, 'countries' | 'actionTypes'>;

export const wholeScope: Scope = { clients: null, countries: null, actionTypes: null };

export function isWhole(scope: Scope): boolean {
  return scope.clients === null && holdsEveryCampaign(scope);
}

export function holdsEveryCampaign({ countries, actionTypes }: CampaignScope): boolean {
  return countries === null && actionTypes === null;
}

/** False for a key that is for callbacks alone. */
export function holdsSomeCampaigns({ countries, actionTypes }: CampaignScope): boolean {
  return countries?.length !== 0 && actionTypes?.length !== 0;
}

/** True if a key of this scope may read a campaign of this reach: one of its countries and actions is in the scope. */
export function seesReach(scope: CampaignScope, { countries, actionTypes }: CampaignReach): boolean {
  return holdsSomeCampaigns(scope) && overlaps(scope.countries, countries) && overlaps(scope.actionTypes, actionTypes);
}

/** True if a key of this scope may change a campaign of this reach: it has no effect elsewhere. */
export function holdsReach(scope: CampaignScope, { countries, actionTypes }: CampaignReach): boolean {
  return holdsSomeCampaigns(scope) && holdsAll(scope.countries, countries) && holdsAll(scope.actionTypes, actionTypes);
}

/** True if a key of this scope may read users of every campaign that it sees, and of the list of suppressed users. */
export function readsAllUsers(scope: Scope): boolean {
  return scope.users === true || holdsEveryCampaign(scope);
}

/** Whether nothing is in the inner one that is not in the outer one. */
export function isWithin(inner: Scope, outer: Scope): boolean {
  return (
    holdsAll(outer.clients, inner.clients) &&
    holdsAll(outer.countries, inner.countries) &&
    holdsAll(outer.actionTypes, inner.actionTypes) &&
    (inner.users !== true || readsAllUsers(outer))
  );
}

/** @param values null: all that there could be */
export function holdsAll(of: readonly string[] | null, values: readonly string[] | null): boolean {
  if (of === null) return true;
  return values?.every((value) => of.includes(value)) ?? false;
}

/** True if a part of a scope has one of the values. Without values yet, as during an upload, every scope matches. */
function overlaps(of: readonly string[] | null, values: readonly string[]): boolean {
  return of === null || values.length === 0 || values.some((value) => of.includes(value));
}
