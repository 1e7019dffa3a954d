import type { Pool } from 'pg';
import type { CampaignAbout } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import {
  campaignStandings,
  type CampaignChoice,
  type CampaignOrder,
  type CampaignStanding,
} from '../../../../shared/domain/run/campaign-standing.ts';
import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import { campaignsNaming } from '../../../../shared/postgres/audiences/list-usage.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { CampaignRecord } from '../campaign-store.port.ts';
import { selectCampaignRecords } from './campaign-store.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';
import { isSeenRevision, seenParamsOf, type SeenParams } from '../../frame/postgres/seen-campaigns.ts';

/** Number of days for which a failed run needs attention. */
export const failedRunAttentionDays = 7;
/** Number of milliseconds that a run may wait before it needs attention. Shorter waits usually end without help. */
export const waitingAttentionMs = 60_000;

export interface CampaignSearch {
  /** Text to search: part of the name, case-insensitive; beginnings of words in the description; or the whole id. */
  text?: string | undefined;
  campaignId?: string | undefined;
  country?: string | undefined;
  action?: string | undefined;
  /** Fields that the description must contain. */
  about?: CampaignAbout | undefined;
  /** Public id of an uploaded list that the audience includes or excludes. */
  list?: string | undefined;
  /** Id of a segment that the audience includes or excludes. */
  segment?: string | undefined;
  /** Public id of the saved audience from which the sources were copied. */
  savedAudience?: string | undefined;
  /** Campaigns that the caller may see; undefined means all. */
  within?: CampaignScope | undefined;
}

export interface ListedCampaign {
  campaign: CampaignRecord;
  standing: CampaignStanding;
  needsAttention: boolean;
  /** Newest unfinished run, or the newest run if all have ended. Retries of failed users are excluded. */
  runId: string | null;
  pausedItself: boolean;
}

export interface CampaignPlace {
  /** Rank and sort key of the campaign at the time its page was read. */
  rank: number;
  key: string;
  campaignId: string;
}

export type CampaignCountsRow = Record<CampaignChoice | 'all', number>;

export type CampaignLists = ReturnType<typeof createCampaignLists>;

export function createCampaignLists({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns a page of a search. Archived campaigns are included only if `choice` is `archived` or the search has an
     * id.
     * @param choice state of the campaigns; undefined means all except archived ones
     */
    page: async (
      search: CampaignSearch,
      choice: CampaignChoice | undefined,
      order: CampaignOrder,
      limit: number,
      after: CampaignPlace | null,
    ): Promise<{ items: ListedCampaign[]; next: CampaignPlace | null }> => {
      const { rows } = await pool.query<PageRow>(
        selectPage.with({
          ...searchParamsOf(search),
          choice: choice ?? null,
          order,
          limit: limit + 1,
          afterRank: after?.rank ?? null,
          afterKey: after?.key ?? null,
          afterId: after?.campaignId ?? null,
        }),
      );
      const pageRows = rows.slice(0, limit);
      const records = await selectCampaignRecords(
        pool,
        pageRows.map(({ id }) => id),
      );
      const items = pageRows.flatMap(({ id, standing, needsAttention, pausedItself, run }) => {
        const campaign = records.get(id);
        const runId = run ?? campaign?.latestRun?.runId ?? null;
        return campaign ? [{ campaign, standing, needsAttention, pausedItself, runId }] : [];
      });
      const last = pageRows.at(-1);
      return {
        items,
        next: rows.length > limit && last ? { rank: last.rank, key: last.key, campaignId: last.id } : null,
      };
    },

    /**
     * Returns the number of campaigns in a search: `all`, which excludes archived campaigns, and one number for each
     * choice.
     */
    counts: async (search: CampaignSearch) => {
      const { rows } = await pool.query<CountRow>(selectCounts.with(searchParamsOf(search)));
      const campaignsIn = (standing: CampaignStanding) => rows.find((row) => row.standing === standing)?.campaigns ?? 0;
      const found = rows.reduce((sum, { campaigns }) => sum + campaigns, 0);
      const counts: CampaignCountsRow = {
        all: search.campaignId === undefined ? found - campaignsIn('archived') : found,
        'needs-attention': rows.reduce((sum, { attention }) => sum + attention, 0),
        running: campaignsIn('running'),
        paused: campaignsIn('paused'),
        scheduled: campaignsIn('scheduled'),
        ended: campaignsIn('ended'),
        draft: campaignsIn('draft'),
        archived: campaignsIn('archived'),
      };
      return counts;
    },

    /** Returns a text that changes whenever a campaign changes, or a run begins, changes its state, stalls or ends. */
    changeMark: async () => {
      const { rows } = await pool.query<{ mark: string }>({ name: 'campaigns-changed', text: selectChangeMark });
      return rows[0]?.mark ?? '';
    },
  };
}

interface PageRow {
  id: string;
  standing: CampaignStanding;
  needsAttention: boolean;
  pausedItself: boolean;
  run: string | null;
  rank: number;
  key: string;
}

interface CountRow {
  standing: CampaignStanding;
  campaigns: number;
  attention: number;
}

/** Parameters of a search; null matches all campaigns. */
interface SearchParams extends SeenParams {
  pattern: string | null;
  /** Query in the syntax of `to_tsquery`, for the description. */
  words: string | null;
  campaignId: string | null;
  country: string | null;
  action: string | null;
  about: CampaignAbout | null;
  list: string | null;
  segment: string | null;
  savedAudience: string | null;
}

function searchParamsOf({ text, campaignId, country, action, about, within, ...search }: CampaignSearch): SearchParams {
  const { list, segment, savedAudience } = search;
  const pattern = patternOf(text);
  return {
    pattern,
    words: wordsOf(text ?? ''),
    campaignId: campaignId ?? null,
    country: country ?? null,
    action: action ?? null,
    about: about ?? null,
    ...seenParamsOf(within),
    list: list ?? null,
    segment: segment ?? null,
    savedAudience: savedAudience ?? null,
  };
}

function wordsOf(text: string): string | null {
  const words = text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  return words.length === 0 ? null : words.map((word) => `'${word}':*`).join(' & ');
}

const ranks = campaignStandings.map((each, index) => `when '${each}' then ${index + 1}`).join(' ');

/** SQL of each campaign's state, from the small sets of unfinished runs and planned starts. */
const standing = ($: (param: keyof SearchParams) => string) => `
  with open_runs as (
    select distinct on (campaign) id, campaign, state, waiting_cause, waiting_since
    from runs where ended_at is null and parent is null and kind = 'live'
    order by campaign, scheduled_for desc
  ), o as (
    select id, campaign, state in ('pausing', 'paused') as paused,
      state in ('pausing', 'paused') and coalesce((
        select kind = 'auto-paused' from run_events e where e.run = r.id and kind in ('auto-paused', 'pausing')
          order by e.id desc limit 1
      ), false) as "pausedItself",
      state not in ('pausing', 'paused') and (
        (waiting_cause is not null and waiting_since <= now() - ${waitingAttentionMs} * interval '1 ms')
        or exists (select from feeds f
          where f.run = r.id and (f.stalled is not null
            or exists (select from holds h where h.feed = f.feed and h.kind = 'fault')))
        or exists (select from run_problems t where t.run = r.id and t.kind = 'breaker')
      ) as stalled
    from open_runs r
  ), failed as (
    select r.campaign from runs r
    where r.state = 'failed' and r.ended_at > now() - ${failedRunAttentionDays} * interval '1 day' and r.parent is null
      and r.kind = 'live'
      and not exists (select from runs n where n.campaign = r.campaign and n.scheduled_for > r.scheduled_for
        and n.parent is null and n.kind = 'live')
  ), planned as (
    select campaign, min(at) as next_at from (
      select campaign, due_at as at from run_starts union all select campaign, next_at from schedules
        where campaign is not null and state in ('active', 'paused') and next_at is not null
    ) starts group by campaign
  ), going_on as (
    -- Includes retries of failed users.
    select campaign from planned union select campaign from runs where ended_at is null
  ), s as (
    select c.id, c.name, p.next_at as "nextAt", o.id as run, coalesce(o."pausedItself", false) as "pausedItself",
      coalesce(o.stalled or o."pausedItself", c.archived_at is null and c.id in (select campaign from failed))
        as "needsAttention",
      case when o.paused then 'paused' when o.id is not null then 'running'
        when c.archived_at is not null and c.id not in (select campaign from going_on) then 'archived'
        when c.state = 'draft' then 'draft'
        when p.campaign is not null then 'scheduled' else 'ended' end as standing
    from campaigns c left join o on o.campaign = c.id left join planned p on p.campaign = c.id
    where (${$('pattern')}::text is null or c.name ilike ${$('pattern')} or c.id in (
        -- The subquery reads the index once, and no descriptions.
        select id from campaigns where description_words @@ to_tsquery('simple', ${$('words')})))
      and (${$('about')}::jsonb is null or c.about @> ${$('about')})
      and (${$('campaignId')}::uuid is null or c.id = ${$('campaignId')})
      and (${$('list')}::text is null or c.id in (${campaignsNaming('list', `${$('list')}::text`)}))
      and (${$('savedAudience')}::text is null or c.saved_audience = ${$('savedAudience')})
      and (${$('segment')}::text is null or c.id in (${campaignsNaming('segment', `${$('segment')}::text`)}))
      and ((${$('country')}::text is null and ${$('action')}::text is null and ${$('seenCountries')}::text[] is null
        and ${$('seenActions')}::text[] is null) or exists (
        select from revisions r
        where r.campaign = c.id and r.revision = c.revision
          and (${$('country')}::text is null or r.definition -> 'countries' ? ${$('country')})
          and (${$('action')}::text is null
            or r.definition -> 'chain' @> jsonb_build_array(jsonb_build_object('action', ${$('action')}::text)))
          and ${isSeenRevision($, 'r')}
      ))
  )`;

const selectCounts = unnamedStatementOf<SearchParams>(
  ($) => `${standing($)}
  select standing, count(*)::int as campaigns, count(*) filter (where "needsAttention")::int as attention
  from s group by standing`,
);

interface PageParams extends SearchParams {
  choice: string | null;
  order: string;
  limit: number;
  afterRank: number | null;
  afterKey: string | null;
  afterId: string | null;
}

const selectPage = unnamedStatementOf<PageParams>(
  ($) => `${standing($)}
  select id, standing, "needsAttention", "pausedItself", run, rank, key from (
    select *, case ${$('order')}::text
        when 'state' then case when "needsAttention" then 0 else case s.standing ${ranks} end end
        when 'next' then case when "nextAt" is null then 1 else 0 end else 0 end as rank,
      -- Times are texts in this format, because their order by bytes (collation "C") is the order of time.
      case when ${$('order')} = 'name' then lower(name)
        when ${$('order')} = 'next' or ${$('order')} = 'state' and standing = 'scheduled'
          then coalesce(to_char("nextAt" at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS'), '')
        else '' end collate "C" as key
    from s where (${$('choice')}::text is null and (standing <> 'archived' or ${$('campaignId')}::uuid is not null))
      or standing = ${$('choice')}
      or (${$('choice')} = 'needs-attention' and "needsAttention")
  ) ranked
  where ${$('afterId')}::uuid is null or (rank, key) > (${$('afterRank')}::int, ${$('afterKey')}::text)
    or (rank, key) = (${$('afterRank')}::int, ${$('afterKey')}::text) and id < ${$('afterId')}::uuid
  order by rank, key, id desc limit ${$('limit')}`,
);

/**
 * Selects a text that changes with the list. The statement runs every two seconds while a list is open. It is cheap,
 * because few runs are unfinished and campaigns are read only once.
 */
const selectChangeMark = `
  with o as (select id, state, waiting_cause is null as moves from runs
    where ended_at is null and parent is null and kind = 'live')
  select concat_ws('/',
    (select count(*) || ' ' || coalesce(max(updated_at)::text, '') from campaigns),
    (select id from runs order by id desc limit 1),
    (select md5(string_agg(id::text || state || moves, ' ' order by id)) from o),
    (select count(*) from feeds where run in (select id from o) and stalled is not null),
    (select count(*) from holds where kind = 'fault'),
    (select count(*) from run_problems where kind = 'breaker')) as mark`;
