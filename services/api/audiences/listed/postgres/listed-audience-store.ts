import type { CampaignScope } from '../../../../../shared/domain/scopes.ts';
import { isSeen, isSeenRevision, seenParamsOf, type SeenParams } from '../../../frame/postgres/seen-campaigns.ts';
import type { Pool } from 'pg';
import type { CampaignDefinition } from '../../../../../shared/contracts/campaigns/campaigns.ts';
import type { AudienceState } from '../../../../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { AudienceKind } from '../../../../../shared/contracts/campaigns/audiences.ts';
import { unnamedStatementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { countriesOfList, usersOfList } from '../../lists/postgres/audience-statements.ts';
import { endOfList } from '../../lists/postgres/list-end.ts';
import { patternOf } from '../../../frame/postgres/name-pattern.ts';

/** Filters of the list of sources; a filter that is undefined matches all sources. */
export interface NamedSearch {
  /** Part of the name, of the owner, or of a segment's id; case-insensitive. */
  text?: string | undefined;
  owner?: string | undefined;
  /** Exact id by which campaigns refer to the source. */
  id?: string | undefined;
  kind?: AudienceKind | undefined;
  state?: AudienceState | undefined;
  hasRejects?: boolean | undefined;
  /** Largest number of users of a list. */
  usersAtMost?: number | undefined;
  /**
   * True matches used sources. False matches ready lists and saved audiences that no campaign and no saved audience
   * uses.
   */
  isUsed?: boolean | undefined;
  /** Country in which the source has users, or, for a segment, a country of one of its newest uses. */
  country?: string | undefined;
  /** Public id of a list: matches saved audiences that include or exclude it. */
  list?: string | undefined;
  /** Id of a segment: matches saved audiences that include or exclude it. */
  segment?: string | undefined;
  /** Countries and actions that the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export interface NamedPlace {
  /** Number of campaigns and saved audiences that used the source when the page was read. */
  uses: number;
  seq: number;
}

export interface NamedRow extends NamedPlace {
  kind: AudienceKind;
  source: string;
  /** Name of a list or a saved audience; null for a segment. */
  name: string | null;
  description: string | null;
  owner: string | null;
  countries: string[] | null;
  revision: number | null;
  audience: CampaignDefinition['audience'] | null;
  state: AudienceState | null;
  rejected: number | null;
  createdAt: Date | null;
  /** Time at which a list will be deleted; null while it is in use, and for other kinds of sources. */
  expiresAt: Date | null;
  usedBy: number;
  excludedBy: number;
  usedBySaved: number;
  /** Newest campaign and newest saved audience that use the source; null if there is none. */
  campaignId: string | null;
  campaignName: string | null;
  savedAudienceId: string | null;
  savedName: string | null;
  /** Number of users of a list; for other kinds, the last exact count. */
  counted: { users: number; asOf: string; id: string | null; countries: string[] } | null;
  /** Estimate of the current revision of a saved audience. */
  estimated: { atLeast: number; atMost: number; asOf: string } | null;
}

/** Uses of a segment, and whether the list shows the segment among the used sources. */
export interface NamedSegment {
  source: string;
  usedBy: number;
  usedBySaved: number;
  isListed: boolean;
}

export interface NamedCounts {
  kind: AudienceKind;
  all: number;
  withRejects: number;
  notUsed: number;
  failed: number;
}

export interface NamedCountSearch {
  text?: string | undefined;
  owner?: string | null | undefined;
  within?: CampaignScope | undefined;
}

export type ListedAudienceStore = ReturnType<typeof createListedAudienceStore>;

/** Creates the reader of the sources that campaigns and saved audiences use, most used first. */
export function createListedAudienceStore({ pool }: { pool: Pool }) {
  return {
    /**
     * Reads a page.
     * @returns up to `limit` rows after the given place
     */
    page: async (search: NamedSearch, limit: number, after: NamedPlace | null): Promise<NamedRow[]> => {
      const wanted = { ...paramsOf(search), limit, uses: after?.uses ?? null, seq: after?.seq ?? null };
      return (await pool.query<NamedRow>(selectPage.with(wanted))).rows;
    },

    counts: async ({ text, owner = null, within }: NamedCountSearch): Promise<NamedCounts[]> =>
      (await pool.query<NamedCounts>(selectCounts.with({ pattern: patternOf(text), owner, ...seenParamsOf(within) })))
        .rows,

    segments: async (
      ids: readonly string[],
      { text, country }: Pick<NamedSearch, 'text' | 'country'>,
    ): Promise<NamedSegment[]> => {
      if (ids.length === 0) return [];
      const wanted = { ids, pattern: patternOf(text), country: country ?? null };
      return (await pool.query<NamedSegment>(selectSegments.with(wanted))).rows;
    },
  };
}

interface SearchParams extends SeenParams {
  pattern: string | null;
  owner: string | null;
  id: string | null;
  kind: AudienceKind | null;
  state: AudienceState | null;
  hasRejects: boolean | null;
  usersAtMost: number | null;
  isUsed: boolean | null;
  country: string | null;
  list: string | null;
  segment: string | null;
}

function paramsOf({ text, within, ...search }: NamedSearch): SearchParams {
  const { owner, id, kind, state, hasRejects, usersAtMost, isUsed, country, list, segment } = search;
  return {
    pattern: patternOf(text),
    owner: owner ?? null,
    id: id ?? null,
    kind: kind ?? null,
    state: state ?? null,
    hasRejects: hasRejects ?? null,
    usersAtMost: usersAtMost ?? null,
    isUsed: isUsed ?? null,
    country: country ?? null,
    list: list ?? null,
    segment: segment ?? null,
    ...seenParamsOf(within),
  };
}

const named = `
  named_audiences n
  left join audiences a on n.kind = 'list' and a.id = n.target
  left join saved_audiences s on n.kind = 'saved' and s.id = n.target
  left join revisions r on r.saved_audience = s.id and r.revision = s.revision`;

const ownerOf = `coalesce(a.owner, r.definition ->> 'owner')`;

/** SQL expression of the countries of a source. Segments have no countries here. */
const countriesOf = `case n.kind when 'list' then ${countriesOfList('a')}
  when 'saved' then coalesce(r.definition -> 'countries', '[]') else '[]' end`;

const isFound = ($: (param: 'pattern' | 'owner' | keyof SeenParams) => string) => `
  n.is_available and (${$('pattern')}::text is null or coalesce(a.name, s.name, n.source) ilike ${$('pattern')}
    or ${ownerOf} ilike ${$('pattern')})
  and (${$('owner')}::text is null or ${ownerOf} = ${$('owner')}) and ${isSeen($, countriesOf)}`;

/**
 * Number of the newest uses of a segment in which a country is searched. The bound keeps the cost of a row constant.
 */
const searchedUses = 100;

/** SQL condition: one of the newest campaigns and saved audiences with the segment has the country. */
const isUsedIn = (country: string) => `exists (
    select from (
      select used_by from audience_uses u where u.kind = n.kind and u.source = n.source
      order by by_saved_audience desc, used_by desc limit ${searchedUses}
    ) newest
    where exists (
      select from campaigns c join revisions v on v.campaign = c.id and v.revision = c.revision
      where c.id = newest.used_by and v.definition -> 'countries' ? ${country}
    ) or exists (
      select from saved_audiences o
      join revisions v on v.saved_audience = o.id and v.revision = o.revision
      where o.id = newest.used_by and v.definition -> 'countries' ? ${country}
    ))`;

const isIn = (country: string) =>
  `case n.kind when 'segment' then ${isUsedIn(country)} else ${countriesOf} ? ${country} end`;

/** SQL condition: the source is a saved audience that includes or excludes a list or a segment. */
const savedWith = (kind: 'list' | 'segment', source: string) => `n.kind = 'saved' and n.target in (
        select used_by from audience_uses where kind = '${kind}' and source = ${source} and by_saved_audience)`;

/** SQL condition: the source is unused. Segments never match, because they belong to the segmentation service. */
const isIdle = `n.uses = 0 and (n.kind = 'saved' or coalesce(a.state = 'ready', false))`;

interface PageParams extends SearchParams {
  limit: number;
  uses: number | null;
  seq: number | null;
}

/**
 * SQL expression of the audience by which the exact count of a row is found. Its hold-out is removed, because a
 * hold-out does not change the count.
 */
const audienceOf = `
  case p.kind when 'saved' then (p.definition -> 'audience') - 'holdOutPercent' - 'holdOutSeed'
    else jsonb_build_object('include', jsonb_build_array(jsonb_build_object('segment', p.source))) end`;

/** SQL of the newest use of a source. It needs one index look-up, whatever the number of uses. */
const newestUse = (by: string) => `
    select u.used_by from audience_uses u
    where u.kind = p.kind and u.source = p.source and ${by} order by u.used_by desc limit 1`;

/**
 * Selects a page. Columns that do not affect order or filter are looked up after the limit is applied, with one index
 * look-up for each row.
 */
const selectPage = unnamedStatementOf<PageParams>(
  ($) => `
  with p as materialized (
    select n.kind, n.source, n.target, n.uses, n.campaigns, n.excluded_by, n.saved_audiences, n.seq,
      a.name as list_name, ${ownerOf} as owner, a.state, a.users, a.rejected,
      a.created_at as uploaded_at, a.ready_at, s.name as saved_name, s.revision, s.estimate,
      s.created_at as saved_at, r.definition
    from ${named}
    where ${isFound($)}
      and (${$('id')}::text is null or n.source = ${$('id')})
      and (${$('kind')}::text is null or n.kind = ${$('kind')})
      and (${$('state')}::text is null or a.state = ${$('state')})
      and (${$('hasRejects')}::boolean is null or (a.rejected > 0) = ${$('hasRejects')})
      and (${$('usersAtMost')}::float8 is null
        or ${usersOfList('a')} <= ${$('usersAtMost')} and a.state = 'ready')
      and (${$('isUsed')}::boolean is null or case when ${$('isUsed')} then n.uses > 0 else ${isIdle} end)
      and (${$('country')}::text is null or ${isIn($('country'))})
      and (${$('list')}::text is null or ${savedWith('list', $('list'))})
      and (${$('segment')}::text is null or ${savedWith('segment', $('segment'))})
      and (${$('uses')}::int is null or (n.uses, n.seq) < (${$('uses')}, ${$('seq')}::bigint))
    order by n.uses desc, n.seq desc limit ${$('limit')}
  )
  select p.kind, p.source, p.uses, p.seq::float8 as seq, p.campaigns as "usedBy", p.excluded_by as "excludedBy",
    p.saved_audiences as "usedBySaved",
    coalesce(p.list_name, p.saved_name) as name, p.definition ->> 'description' as description,
    p.owner,
    coalesce(
      case p.kind when 'list' then (select array_agg(k order by k) from jsonb_object_keys(p.users) k) end,
      (select array_agg(k) from jsonb_array_elements_text(p.definition -> 'countries') k)) as countries,
    p.revision, p.definition -> 'audience' as audience, p.state,
    coalesce(p.rejected, bad.rejected)::float8 as rejected, coalesce(p.uploaded_at, p.saved_at) as "createdAt",
    case when p.kind = 'list' then (select ${endOfList} from audiences a where a.id = p.target) end as "expiresAt",
    newest.id as "campaignId", newest.name as "campaignName",
    newest_saved.id as "savedAudienceId", newest_saved.name as "savedName",
    case when p.kind = 'list' and p.state = 'ready' then jsonb_build_object(
        'users', ${usersOfList('p')}, 'asOf', p.ready_at, 'id', null,
        'countries', (select coalesce(jsonb_agg(k order by k), '[]') from jsonb_object_keys(p.users) k))
      when exact.id is not null then jsonb_build_object(
        'users', (select coalesce(sum((line ->> 'users')::float8), 0) from jsonb_array_elements(exact.countries) line),
        'asOf', exact.started_at, 'id', exact.id, 'countries', exact.request -> 'countries') end as counted,
    case when (p.estimate ->> 'revision')::int = p.revision then p.estimate end as estimated
  from p
  left join lateral (${newestUse('not u.by_saved_audience')}) use on true
  left join campaigns newest on newest.id = use.used_by and exists (
    select from revisions v
    where v.campaign = newest.id and v.revision = newest.revision and ${isSeenRevision($, 'v')})
  left join lateral (${newestUse('u.by_saved_audience')}) saved_use on true
  left join saved_audiences newest_saved on newest_saved.id = saved_use.used_by and exists (
    select from revisions v where v.saved_audience = newest_saved.id
      and v.revision = newest_saved.revision and ${isSeen($, `v.definition -> 'countries'`)})
  left join lateral (
    select sum(l.rejected) as rejected
    from audience_uses u
    join named_audiences t on t.kind = u.kind and t.source = u.source
    join audiences l on l.id = t.target
    where p.kind = 'saved' and u.used_by = p.target and u.by_saved_audience and u.kind = 'list' and not u.is_excluded
  ) bad on true
  left join lateral (
    select c.id, c.countries, c.request, coalesce(c.started_at, c.requested_at) as started_at from audience_counts c
    where p.kind <> 'list' and c.state = 'done' and c.request -> 'with' is null
      and hashtextextended((c.request -> 'audience')::text, 0) = hashtextextended((${audienceOf})::text, 0)
      and c.request -> 'audience' = ${audienceOf}
      and (p.kind <> 'saved' or c.request -> 'countries' @> (p.definition -> 'countries')
        and p.definition -> 'countries' @> (c.request -> 'countries'))
    order by c.ended_at desc limit 1
  ) exact on true
  order by p.uses desc, p.seq desc`,
);

/**
 * Counts sources by reading each row. This is cheap, because quotas bound the number of lists and saved audiences.
 * Deleted sources are skipped.
 */
const selectCounts = unnamedStatementOf<Pick<SearchParams, 'pattern' | 'owner' | keyof SeenParams>>(
  ($) => `
  select n.kind, count(*)::int as "all", count(*) filter (where a.rejected > 0)::int as "withRejects",
    count(*) filter (where ${isIdle})::int as "notUsed", count(*) filter (where a.state = 'failed')::int as failed
  from ${named} where ${isFound($)} group by n.kind`,
);

const selectSegments = unnamedStatementOf<{ ids: readonly string[]; pattern: string | null; country: string | null }>(
  ($) => `
  select source, campaigns as "usedBy", saved_audiences as "usedBySaved",
    (${$('pattern')}::text is null or source ilike ${$('pattern')})
      and (${$('country')}::text is null or ${isUsedIn($('country'))}) as "isListed"
  from named_audiences n where kind = 'segment' and source = any(${$('ids')}::text[])`,
);
