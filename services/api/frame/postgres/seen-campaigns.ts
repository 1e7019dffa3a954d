import { wholeScope, type CampaignScope } from '../../../../shared/domain/scopes.ts';

/** The part of a scope that bounds which campaigns a list shows, as parameters of its statement. Null: all. */
export interface SeenParams {
  seenCountries: readonly string[] | null;
  seenActions: readonly string[] | null;
}

export function seenParamsOf({ countries, actionTypes }: CampaignScope = wholeScope): SeenParams {
  return { seenCountries: countries, seenActions: actionTypes };
}

type Place = (param: keyof SeenParams) => string;

/**
 * Condition in SQL that is true for what `seesReach` is true for. It stands in the statement of a list, so that a page
 * is as long with it as without.
 * @param countries expression of a jsonb array
 * @param actions expression of a jsonb array; without it, what the list shows has no actions
 */
export function isSeen($: Place, countries: string, actions?: string): string {
  const none = `'[]'::jsonb`;
  return `${overlaps($('seenCountries'), countries)} and ${overlaps($('seenActions'), actions ?? none)}`;
}

/** Condition in SQL that the scope sees a row of campaign revisions. */
export function isSeenRevision($: Place, revision: string): string {
  const actions = `jsonb_path_query_array(${revision}.definition, '$.chain[*].action')`;
  return isSeen($, `${revision}.definition -> 'countries'`, actions);
}

/** An empty part of a scope holds nothing, also where there are no values yet. */
function overlaps(of: string, values: string): string {
  return `(${of}::text[] is null or cardinality(${of}::text[]) > 0
      and (${values} = '[]'::jsonb or (${values}) ?| ${of}::text[]))`;
}
