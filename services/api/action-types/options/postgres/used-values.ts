import type { Pool } from 'pg';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { patternOf } from '../../../frame/postgres/name-pattern.ts';

/**
 * Number of the newest campaigns that are searched. The bound keeps the cost constant, whatever the number of
 * campaigns.
 */
const searchedCampaigns = 300;

export interface UsedValue {
  value: string | number;
  /** Countries of the campaigns with this value, in alphabetical order. */
  countries: string[];
  campaigns: number;
}

export interface UsedValuesSearch {
  actionType: string;
  /** Names of the nested fields that lead to the parameter, outermost first. */
  parameter: readonly string[];
  /** Text that a value must contain, case-insensitive. */
  text?: string | undefined;
  country?: string | undefined;
  /**
   * Values to look up; undefined means all. Values are compared as JSON: `5.0` matches `5`, and the string `"5"` does
   * not.
   */
  among?: readonly (string | number)[];
  limit: number;
}

export type UsedValues = ReturnType<typeof createUsedValues>;

/**
 * Creates the reader of the strings and numbers that campaigns have used for a parameter, the most recently used first.
 */
export function createUsedValues({ pool }: { pool: Pool }) {
  return {
    list: async ({ actionType, parameter, text, country, among, limit }: UsedValuesSearch): Promise<UsedValue[]> => {
      const params = {
        actionType,
        parameter,
        limit,
        pattern: patternOf(text),
        country: country ?? null,
        among: among ? JSON.stringify(among) : null,
      };
      return (await pool.query<UsedValue>(selectUsed.with(params))).rows;
    },
  };
}

interface UsedParams {
  actionType: string;
  parameter: readonly string[];
  pattern: string | null;
  country: string | null;
  among: string | null;
  limit: number;
}

const selectUsed = unnamedStatementOf<UsedParams>(
  ($) => `
  select v.value, array_agg(distinct country order by country) as countries,
    count(distinct c.id)::int as campaigns
  from (select id, revision from campaigns order by id desc limit ${searchedCampaigns}) c
  join revisions r on r.campaign = c.id and r.revision = c.revision
  cross join jsonb_array_elements(r.definition -> 'chain') step
  cross join lateral (
    select step -> 'params' #> ${$('parameter')}::text[] as value
    union all
    select e.variant -> 'params' #> ${$('parameter')}::text[]
    from jsonb_array_elements(coalesce(step -> 'variants', '[]')) e (variant)
  ) v
  cross join jsonb_array_elements_text(r.definition -> 'countries') country
  where step ->> 'action' = ${$('actionType')}::text and jsonb_typeof(v.value) in ('string', 'number')
    and (${$('pattern')}::text is null or v.value #>> '{}' ilike ${$('pattern')})
    and (${$('country')}::text is null or r.definition -> 'countries' ? ${$('country')})
    and (${$('among')}::jsonb is null or ${$('among')}::jsonb @> v.value)
  group by v.value order by max(c.id::text collate "C") desc, v.value limit ${$('limit')}`,
);
