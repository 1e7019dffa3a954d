/** Scope of a key in an installation. Null: everything of that kind; empty: nothing. */
export interface Scope {
  /** Ids of clients whose jobs and schedules the key may read and change. */
  clients: readonly string[] | null;
  /**
   * Countries of campaigns. The key may read campaigns with at least one of these countries, and change campaigns with
   * only these countries.
   */
  countries: readonly string[] | null;
  /** Action types of a campaign's chain, with the same rule as `countries`. */
  actionTypes: readonly string[] | null;
  /** True if the key may read the users of each campaign in its scope, and suppressed users. Undefined means false. */
  users?: boolean | undefined;
}

/** Countries and action types that a campaign, or a list of users, affects. */
export interface CampaignReach {
  countries: readonly string[];
  actionTypes: readonly string[];
}

export type CampaignScope = Pick<Scope, 'countries' | 'actionTypes'>;

export const wholeScope: Scope = { clients: null, countries: null, actionTypes: null };

export function isWhole(scope: Scope): boolean {
  return scope.clients === null && holdsEveryCampaign(scope);
}

export function holdsEveryCampaign({ countries, actionTypes }: CampaignScope): boolean {
  return countries === null && actionTypes === null;
}

/** Returns false for a key that is for callbacks alone. */
export function holdsSomeCampaigns({ countries, actionTypes }: CampaignScope): boolean {
  return countries?.length !== 0 && actionTypes?.length !== 0;
}

/**
 * Returns true if a key of this scope may read a campaign of this reach: one of its countries and one of its action
 * types are in the scope.
 */
export function seesReach(scope: CampaignScope, { countries, actionTypes }: CampaignReach): boolean {
  return holdsSomeCampaigns(scope) && overlaps(scope.countries, countries) && overlaps(scope.actionTypes, actionTypes);
}

/**
 * Returns true if a key of this scope may change a campaign of this reach: the campaign has no effect outside of the
 * scope.
 */
export function holdsReach(scope: CampaignScope, { countries, actionTypes }: CampaignReach): boolean {
  return holdsSomeCampaigns(scope) && holdsAll(scope.countries, countries) && holdsAll(scope.actionTypes, actionTypes);
}

/** Returns true if a key may read users of every campaign in its scope, and all suppressed users. */
export function readsAllUsers(scope: Scope): boolean {
  return scope.users === true || holdsEveryCampaign(scope);
}

export function isWithin(inner: Scope, outer: Scope): boolean {
  return (
    holdsAll(outer.clients, inner.clients) &&
    holdsAll(outer.countries, inner.countries) &&
    holdsAll(outer.actionTypes, inner.actionTypes) &&
    (inner.users !== true || readsAllUsers(outer))
  );
}

/**
 * Returns whether `of` contains all values.
 * @param values null: every possible value
 */
export function holdsAll(of: readonly string[] | null, values: readonly string[] | null): boolean {
  if (of === null) return true;
  return values?.every((value) => of.includes(value)) ?? false;
}

/** Returns true if a scope has one of the values, or if there are no values yet, as during an upload. */
function overlaps(of: readonly string[] | null, values: readonly string[]): boolean {
  return of === null || values.length === 0 || values.some((value) => of.includes(value));
}
