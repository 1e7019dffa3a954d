import type { Pool } from 'pg';
import type { ListedSegment } from '../../../../../shared/contracts/campaigns/segments.ts';
import { campaignsNaming } from '../../../../../shared/postgres/audiences/list-usage.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { patternOf } from '../../../frame/postgres/name-pattern.ts';

const usedByAtMost = 100;
/** Newest campaigns that are searched. The bound keeps the cost constant, however many campaigns there are. */
const campaignsLookedAt = 300;

export interface UsedSegment {
  segment: string;
  countries: string[];
}

export type SegmentUses = Pick<ListedSegment, 'usedBy' | 'usedBySaved'>;

export interface UsedSearch {
  /** Part of the id, case-insensitive. */
  text?: string | undefined;
  country?: string | undefined;
  /** Id of the last segment of the previous page, or null. */
  after: string | null;
  limit: number;
}

export type UsedSegments = ReturnType<typeof createUsedSegments>;

export function createUsedSegments({ pool }: { pool: Pool }) {
  return {
    /** Returns the segments that the newest campaigns name, sorted by id. */
    list: async ({ text, country, after, limit }: UsedSearch): Promise<UsedSegment[]> => {
      const asked = { pattern: patternOf(text), country: country ?? null, after, limit };
      return (await pool.query<UsedSegment>(selectUsed.with(asked))).rows;
    },

    /** Returns uses by segment: campaigns that currently name it, up to a hundred, and saved audiences. */
    uses: async (segments: readonly string[]): Promise<ReadonlyMap<string, SegmentUses>> => {
      if (segments.length === 0) return new Map();
      const { rows } = await pool.query<SegmentUses & { segment: string }>(countUses, [segments]);
      return new Map(rows.map(({ segment, usedBy, usedBySaved }) => [segment, { usedBy, usedBySaved }]));
    },
  };
}

interface UsedParams {
  pattern: string | null;
  country: string | null;
  after: string | null;
  limit: number;
}

const selectUsed = unnamedStatementOf<UsedParams>(
  ($) => `
  select e ->> 'segment' as segment, array_agg(distinct country order by country) as countries
  from (select id, revision from campaigns order by id desc limit ${campaignsLookedAt}) c
  join revisions r on r.campaign = c.id and r.revision = c.revision
  cross join jsonb_array_elements(
    (r.definition -> 'audience' -> 'include') || coalesce(r.definition -> 'audience' -> 'exclude', '[]')) e
  cross join jsonb_array_elements_text(r.definition -> 'countries') country
  where e ? 'segment' and (${$('pattern')}::text is null or e ->> 'segment' ilike ${$('pattern')})
    and (${$('country')}::text is null or country = ${$('country')})
    and (${$('after')}::text is null or (e ->> 'segment') collate "C" > ${$('after')})
  group by 1 order by (e ->> 'segment') collate "C" limit ${$('limit')}`,
);

const countUses = `
  select s.segment, (
    select count(*)::int from (${campaignsNaming('segment', 's.segment')} limit ${usedByAtMost}) u
  ) as "usedBy", coalesce(n.saved_audiences, 0) as "usedBySaved"
  from unnest($1::text[]) s(segment)
  left join named_audiences n on n.kind = 'segment' and n.source = s.segment`;
