import { wholeScope, type CampaignScope } from '../../../../shared/domain/scopes.ts';

/** Countries and actions of a scope, as parameters of a list's statement. Null permits all. */
export interface SeenParams {
  seenCountries: readonly string[] | null;
  seenActions: readonly string[] | null;
}

export function seenParamsOf({ countries, actionTypes }: CampaignScope = wholeScope): SeenParams {
  return { seenCountries: countries, seenActions: actionTypes };
}

type Place = (param: keyof SeenParams) => string;

/**
 * Returns the SQL condition that an object with these countries and actions is inside a scope; `seesReach` is the same
 * check in TypeScript. The condition is part of the statement of a list, so that filtered pages are full.
 * @param countries SQL expression of a jsonb array
 * @param actions SQL expression of a jsonb array; undefined if the listed objects have no actions
 */
export function isSeen($: Place, countries: string, actions?: string): string {
  const none = `'[]'::jsonb`;
  return `${overlaps($('seenCountries'), countries)} and ${overlaps($('seenActions'), actions ?? none)}`;
}

/** Returns the SQL condition that a row of campaign revisions is inside the scope. */
export function isSeenRevision($: Place, revision: string): string {
  const actions = `jsonb_path_query_array(${revision}.definition, '$.chain[*].action')`;
  return isSeen($, `${revision}.definition -> 'countries'`, actions);
}

/**
 * Returns the SQL condition that two arrays overlap. It is false for an empty part of a scope, even if the object has
 * no values yet.
 */
function overlaps(allowed: string, values: string): string {
  return `(${allowed}::text[] is null or cardinality(${allowed}::text[]) > 0
      and (${values} = '[]'::jsonb or (${values}) ?| ${allowed}::text[]))`;
}
