import type { Pool } from 'pg';
import { reasons } from '../../../../shared/domain/step/reasons.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import type { CampaignScope } from '../../../../shared/domain/scopes.ts';
import type { WorkCalendars } from '../../../../shared/domain/recurrence/work-calendars.ts';
import { readWorkCalendars } from '../../../../shared/postgres/schedules/work-calendars.ts';
import type { CampaignRecord } from '../campaign-store.port.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { isSeenRevision, seenParamsOf, type SeenParams } from '../../frame/postgres/seen-campaigns.ts';
import { selectCampaignRecords } from './campaign-store.ts';

/** Longest duration of a run, in days. Runs whose deadline is a number of days may take longer. */
const longestRunDays = 8;
const lookBackDays = 14;
/** Counts of users at a cap are outdated after some days, and the search ends at this age. */
const dryRunDays = 7;
/** Number of the newest runs in which the speed of an action type is searched. */
const fastestOf = 500;
/**
 * Minimum number of users of a run that shows the speed of an action type. The speed of smaller runs says little about
 * large ones.
 */
const fastestUsers = 1000;

export interface CalendarRun {
  runId: string;
  campaignId: string;
  state: RunState;
  scheduledFor: Date;
  startedAt: Date | null;
  endedAt: Date | null;
  users: number;
}

export interface PlannedRecurrence {
  campaignId: string;
  createdAt: Date;
  nextAt: Date;
}

export interface PastRun {
  campaignId: string;
  seconds: number;
  users: number;
}

export interface UsersAtCap {
  campaignId: string;
  users: number;
  at: Date;
}

export interface CampaignsOfTime {
  runs: CalendarRun[];
  starts: { campaignId: string; dueAt: Date }[];
  recurring: PlannedRecurrence[];
  /** Campaigns that wait for an approval. */
  waiting: { campaignId: string }[];
  records: Map<string, CampaignRecord>;
  /** Newest finished run of each campaign. */
  past: Map<string, PastRun>;
  /** Users at a cap in the newest dry run of each campaign's current revision. */
  atCap: Map<string, UsersAtCap>;
  workCalendars: WorkCalendars;
}

export type CampaignCalendar = ReturnType<typeof createCampaignCalendar>;

export function createCampaignCalendar({ pool }: { pool: Pool }) {
  return {
    /**
     * Returns starts and runs between two times.
     * @param limit maximum number of rows of each kind
     */
    between: async (
      from: Date,
      until: Date,
      { limit, within }: { limit: number; within?: CampaignScope },
    ): Promise<CampaignsOfTime> => {
      const wanted = { from, until, limit, ...seenParamsOf(within) };
      const [{ rows: runs }, { rows: starts }, { rows: recurring }, { rows: waiting }] = await Promise.all([
        pool.query<CalendarRun>(selectRuns.with(wanted)),
        pool.query<{ campaignId: string; dueAt: Date }>(selectStarts.with(wanted)),
        pool.query<PlannedRecurrence>(selectRecurring.with(wanted)),
        pool.query<{ campaignId: string }>(selectWaiting.with(wanted)),
      ]);
      const ids = [...new Set([...runs, ...starts, ...recurring, ...waiting].map(({ campaignId }) => campaignId))];
      const [records, { rows: past }, { rows: atCap }] = await Promise.all([
        selectCampaignRecords(pool, ids),
        pool.query<PastRun>(selectPast, [ids]),
        pool.query<UsersAtCap>(selectAtCap, [ids]),
      ]);
      const workCalendars = await readWorkCalendars(pool, recurring.flatMap(recurrenceIn(records)));
      const found = { runs, starts, recurring, waiting, records, workCalendars };
      return {
        ...found,
        past: new Map(past.map((run) => [run.campaignId, run])),
        atCap: new Map(atCap.map((each) => [each.campaignId, each])),
      };
    },

    /** Returns users per second of the fastest recent run, by action type. */
    fastest: async () => {
      const { rows } = await pool.query<{ action: string; usersPerSecond: number }>(selectFastest);
      return rows;
    },
  };
}

function recurrenceIn(records: ReadonlyMap<string, CampaignRecord>) {
  return ({ campaignId }: PlannedRecurrence) => {
    const schedule = records.get(campaignId)?.definition.schedule;
    return schedule?.type === 'recurring' ? [schedule] : [];
  };
}

const ofFeeds = `(select coalesce(sum(fed_users), 0)::float8 from feeds f where f.run = r.id)`;
const isListed = `r.parent is null and r.kind = 'live'`;

interface TimeParams extends SeenParams {
  from: Date;
  until: Date;
  limit: number;
}

/** SQL condition: the caller may see the campaign, according to its current revision. */
const isSeenCampaign = ($: (param: keyof TimeParams) => string, campaign: string) => `
  (${$('seenCountries')}::text[] is null and ${$('seenActions')}::text[] is null or exists (
    select from campaigns c join revisions v on v.campaign = c.id and v.revision = c.revision
    where c.id = ${campaign} and ${isSeenRevision($, 'v')}))`;

const selectRuns = statementOf<TimeParams>(
  'calendar-runs',
  ($) => `
  select r.id as "runId", r.campaign as "campaignId", r.state, r.scheduled_for as "scheduledFor",
    r.started_at as "startedAt", r.ended_at as "endedAt", ${ofFeeds} as users
  from runs r
  where ${isListed} and r.scheduled_for >= ${$('from')}::timestamptz - ${longestRunDays} * interval '1 day'
    and r.scheduled_for < ${$('until')} and coalesce(r.ended_at, 'infinity') > ${$('from')}
    and ${isSeenCampaign($, 'r.campaign')}
  order by r.scheduled_for limit ${$('limit')}`,
);

const selectStarts = statementOf<TimeParams>(
  'calendar-starts',
  ($) => `
  select campaign as "campaignId", due_at as "dueAt" from run_starts
  where due_at >= ${$('from')} and due_at < ${$('until')} and ${isSeenCampaign($, 'run_starts.campaign')}
  order by due_at limit ${$('limit')}`,
);

/**
 * The condition repeats the states of the partial index, so that Postgres can use the index. Only active schedules
 * start runs.
 */
const selectRecurring = statementOf<TimeParams>(
  'calendar-recurring',
  ($) => `
  select campaign as "campaignId", created_at as "createdAt", next_at as "nextAt" from schedules
  where campaign is not null and state in ('active', 'paused', 'broken')
    and state = 'active' and next_at < ${$('until')} and ${isSeenCampaign($, 'schedules.campaign')}
  order by next_at limit ${$('limit')}`,
);

const selectWaiting = statementOf<TimeParams>(
  'calendar-waiting',
  ($) => `
  select campaign as "campaignId" from approvals
  where state = 'waiting' and run is null and ${isSeenCampaign($, 'approvals.campaign')}
  order by id desc limit ${$('limit')}`,
);

const selectPast = `
  select c.id as "campaignId", l.seconds, l.users
  from unnest($1::uuid[]) c (id) cross join lateral (
    select extract(epoch from r.ended_at - r.started_at)::float8 as seconds, ${ofFeeds} as users from runs r
    where r.campaign = c.id and ${isListed} and r.ended_at is not null and r.started_at is not null
    order by r.scheduled_for desc limit 1
  ) l where l.users > 0`;

/** Dry runs that have counted the whole audience. */
const selectAtCap = `
  select c.id as "campaignId", l.at, l.users
  from unnest($1::uuid[]) u (id) join campaigns c using (id) cross join lateral (
    select r.ended_at as at, (
      select coalesce(sum(t.users), 0)::float8 from feeds f join failure_totals t using (feed)
      where f.run = r.id and t.reason = '${reasons.cap}') as users
    from runs r
    where r.campaign = c.id and r.revision = c.revision and r.kind = 'dry-run'
      and r.state in ('completed', 'completed_with_failures')
      and r.scheduled_for > now() - ${dryRunDays} * interval '1 day'
    order by r.scheduled_for desc limit 1
  ) l`;

const selectFastest = `
  with ended as (
    select r.campaign, r.revision, ${ofFeeds} as users,
      extract(epoch from r.ended_at - r.started_at)::float8 as seconds
    from runs r
    where ${isListed} and r.scheduled_for > now() - ${lookBackDays} * interval '1 day' and r.ended_at is not null
      and r.started_at < r.ended_at
    order by r.scheduled_for desc limit ${fastestOf}
  )
  select step ->> 'action' as action, max(e.users / e.seconds) as "usersPerSecond"
  from ended e join revisions c using (campaign, revision), jsonb_array_elements(c.definition -> 'chain') step
  where e.users >= ${fastestUsers}
  group by 1 order by 1`;
