import type { Pool, PoolClient } from 'pg';
import { recurrenceOf } from '../../../shared/contracts/schedules/recurrences.ts';
import type { NewOccurrence } from '../../../shared/contracts/schedules/planned-rows.ts';
import { nextTimes } from '../../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendars } from '../../../shared/domain/recurrence/work-calendars.ts';
import { fireSchedules, isAtWork, type FireQuotas } from '../../../shared/postgres/schedules/fire-schedules.ts';
import { breakSchedules, eachByItself, unlessRefused } from '../../../shared/postgres/schedules/broken-schedules.ts';
import { beginTargets } from '../../../shared/postgres/schedules/insert-occurrences.ts';
import { roomForFires } from '../../../shared/postgres/schedules/room-for-fires.ts';
import { campaignsOf, roomForRuns } from '../../../shared/postgres/schedules/room-for-runs.ts';
import {
  msOf,
  plannedColumns,
  plannedRowOf,
  type PlannedColumns,
  type PlannedRow,
} from '../../../shared/postgres/schedules/schedule-rows.ts';
import { createWorkCalendarReader } from '../../../shared/postgres/schedules/work-calendars.ts';
import { inTransaction } from '../../../shared/postgres/connection/transaction.ts';
import type { DueSchedules, FiredOccurrence } from '../ports/due-schedules.ts';

export interface DueSchedulesDeps {
  pool: Pool;
  /**
   * Milliseconds before an instant at which a schedule of callbacks is locked and decided. The transaction then waits
   * and commits at the instant, so for other processes, the decision is made at the instant. If a decision depends on
   * data that may change meanwhile, the schedule is decided at the instant itself.
   */
  aheadMs?: number;
  sleep?: (ms: number) => Promise<void>;
  quotas: FireQuotas;
}

const commitMs = 2;

export function createDueSchedules({ pool, aheadMs = 0, sleep, quotas }: DueSchedulesDeps): DueSchedules {
  const readCalendars = createWorkCalendarReader();

  /** Sleeps until a time of the database's clock. */
  async function waitUntil(client: PoolClient, atMs: number): Promise<void> {
    const { rows } = await client.query<{ inMs: number }>(selectTimeUntil, [new Date(atMs)]);
    const inMs = (rows[0]?.inMs ?? 0) - commitMs;
    if (inMs > 0) await sleep?.(inMs);
  }

  return {
    recur: async (node, limit) => {
      // Usually, nothing is due. One statement without locks finds this out.
      const result = await pool.query<{ isNear: boolean; inMs: number | null }>(selectNear, [node.region, aheadMs]);
      const near = result.rows[0];
      if (near && !near.isNear) return { ...nothingRecurred, nextCheckInMs: wholeMs(near.inMs) };

      return await inTransaction(pool, async (client) => {
        const locked = await client.query<PlannedColumns & { checkMs: number }>(lockDue, [
          ...[node.region, limit, aheadMs],
        ]);
        const rows = locked.rows.map((row) => ({ ...row, nowMs: Math.max(row.nowMs, row.checkMs) }));
        const decider = { region: node.region, nodeRegion: node.region, owner: node.owner };
        const { occurrences, skipped, ended, broken } = await fireSchedules(
          client,
          rows,
          decider,
          quotas,
          readCalendars,
        );
        const isAhead = locked.rows.some(({ nowMs, checkMs }) => checkMs > nowMs);
        if (isAhead) await waitUntil(client, Math.max(...rows.map(({ nowMs }) => nowMs)));
        return {
          fired: occurrences.filter(({ state }) => state === 'fired').map(firedOf(locked.rows)),
          buffered: occurrences.filter(({ state }) => state === 'buffered').map(firedOf(locked.rows)),
          skipped,
          ended,
          broken,
          examined: rows.length,
          nextCheckInMs: await nextCheckInMs(client, node.region, aheadMs),
        };
      });
    },

    fireBuffered: async (node, limit) => {
      const result = await pool.query(selectBuffered);
      if (result.rowCount === 0) return { fired: [], broken: [], isAny: false };

      return await inTransaction(pool, async (client) => {
        const { rows } = await client.query<PlannedColumns>(lockBuffered, [limit, node.region]);
        if (rows.length === 0) return { fired: [], broken: [], isAny: true };
        const { done, broken: unreadable } = eachByItself(rows, ({ id }) => id, idAndRowOf);
        await breakSchedules(client, unreadable);
        const waiting = done.map(({ row }) => row);
        const rooms = await roomForFires(client, waiting);
        const runs = await roomForRuns(client, campaignsOf(waiting), quotas.openRuns);
        // Occurrences of campaigns whose quota is used up keep waiting. The last fire of a client may exceed the
        // client's quota; later fires then have to wait for longer.
        const ready = done.filter(({ row: { target } }) =>
          target.kind === 'campaign' ? runs.take(target.campaignId) : (rooms.get(target.clientId)?.jobs ?? 0) > 0,
        );
        const { results, broken } = await unlessRefused(client, ready, async (some) => {
          const ids = some.map(({ id }) => id);
          const { rows: fired } = await client.query<NewOccurrence>(unbuffer, [ids, node.region, node.owner]);
          await beginTargets(
            client,
            some.map(({ row }) => row),
            fired,
          );
          return fired.map(firedOf(rows));
        });
        return { fired: results.flat(), broken: [...unreadable, ...broken], isAny: true };
      });
    },

    forget: async (days, limit) => {
      const { rows } = await pool.query<{ forgotten: number }>(forgetOld, [days, limit]);
      return rows[0]?.forgotten ?? 0;
    },

    rearm: (limit, cursor) =>
      inTransaction(pool, async (client) => {
        const { rows } = await client.query<RearmedRow>(lockActive, [cursor, limit]);
        const { done: read, broken: unreadable } = eachByItself(rows, ({ id }) => id, rearmedRowOf);
        const calendars = await readCalendars(
          client,
          read.map(({ schedule }) => schedule.definition.recurrence),
        );
        const { done, broken: unplannable } = eachByItself(
          read,
          ({ scheduleId }) => scheduleId,
          (row) => rightTimes(row, calendars),
        );
        const broken = [...unreadable, ...unplannable];
        const wrong = done.filter((each) => each !== null);
        if (wrong.length > 0) await client.query(rearm, [JSON.stringify(wrong)]);
        await breakSchedules(client, broken);
        const before = new Set(rows.filter(({ state }) => state === 'broken').map(({ id }) => id));
        const readable = wrong.flatMap(({ id }) => (before.has(id) ? [id] : []));
        return {
          repaired: wrong.length - readable.length,
          readable,
          brokenNow: broken.length,
          broken: broken.filter(({ scheduleId }) => !before.has(scheduleId)),
          cursor: rows.length < limit ? null : (rows.at(-1)?.id ?? null),
        };
      }),
  };
}

function firedOf(rows: readonly PlannedColumns[]): (occurrence: NewOccurrence) => FiredOccurrence {
  const calling = new Set(rows.flatMap(({ id, client }) => (client === null ? [] : [id])));
  return ({ scheduleId, group, scheduledForMs, targetId }) => {
    return { scheduleId, group, scheduledForMs, targetId, isJob: calling.has(scheduleId) };
  };
}

async function nextCheckInMs(client: PoolClient, region: string, aheadMs: number): Promise<number | null> {
  const { rows } = await client.query<{ inMs: number | null }>(selectNextCheck, [region, aheadMs]);
  return wholeMs(rows[0]?.inMs ?? null);
}

/** Rounds up, so that no scan comes too early. */
function wholeMs(inMs: number | null): number | null {
  return inMs === null ? null : Math.max(0, Math.ceil(inMs));
}

const nothingRecurred = { fired: [], buffered: [], skipped: [], ended: [], broken: [], examined: 0 };

type RearmedRow = PlannedColumns & { nextAtMs: number | null; nextCheckAtMs: number | null };

function idAndRowOf(columns: PlannedColumns) {
  return { id: columns.id, row: plannedRowOf(columns) };
}

type Rearmed = PlannedRow & { row: RearmedRow };

function rearmedRowOf(row: RearmedRow): Rearmed {
  return { ...plannedRowOf(row), row };
}

interface RightTimes {
  id: string;
  next_at: string | null;
  next_check_at: string;
}

/**
 * Returns corrected times for a schedule whose stored next scan would miss an instant. The next scan of a broken
 * schedule is at once. Returns null if the stored times are right.
 */
function rightTimes({ row, schedule }: Rearmed, calendars: WorkCalendars): RightTimes | null {
  const recurrence = recurrenceOf(schedule.definition.recurrence, schedule.createdAtMs, calendars);
  const { fireMs: nextAtMs, checkMs } = nextTimes(recurrence, schedule.highWaterMs);
  // If there are no further instants, the scheduler ends the schedule at the next scan.
  const nextCheckAtMs = checkMs ?? recurrence.untilMs ?? row.nowMs;
  if (row.state === 'broken') return { id: row.id, next_at: null, next_check_at: iso(row.nowMs) };
  if (row.nextCheckAtMs !== null && row.nextCheckAtMs <= nextCheckAtMs) return null;
  return { id: row.id, next_at: nextAtMs === null ? null : iso(nextAtMs), next_check_at: iso(nextCheckAtMs) };
}

const iso = (ms: number) => new Date(ms).toISOString();

const regionNextCheck = `coalesce((region_next_checks ->> $1)::timestamptz, next_check_at)`;

/**
 * Condition that no operator has switched the region off. Processes of a region that is switched off may still run, but
 * decide nothing.
 */
const isSwitchedOn = (region: string) => `not exists (select from regions where name = ${region} and not active)`;

/**
 * SQL for the time before an instant at which a schedule may be decided. The time is 0 if the decision depends on the
 * previous fire, or on the audience at the instant.
 */
const aheadOf = (ms: string) => `case when client is not null and definition -> 'recurrence' ->> 'overlap' = 'allow'
  then ${ms}::float8 else 0 end * interval '1 millisecond'`;

const isNear = (ms: string) => `state = 'active' and next_check_at <= now() + ${ms}::float8 * interval '1 millisecond'
    and ${regionNextCheck} <= now() + ${aheadOf(ms)}`;

/**
 * Locks the schedules that are due. If none is due yet, locks only those with the nearest instant. Otherwise, all would
 * have to wait for the commit at the latest instant.
 */
const lockDue = `
  select ${plannedColumns}, ${msOf(regionNextCheck)} as "checkMs" from schedules s
  where ${isNear('$3')} and ${isSwitchedOn('$1')}
    and ${regionNextCheck} <= greatest(now(), (select min(${regionNextCheck}) from schedules where ${isNear('$3')}))
  order by s.next_check_at limit $2 for update skip locked`;

const selectTimeUntil = `select extract(epoch from $1::timestamptz - clock_timestamp())::float8 * 1000 as "inMs"`;

/** Uses `clock_timestamp()`, because `now()` is the time at which the transaction began. */
const selectNextCheck = `
  select extract(epoch from min(${regionNextCheck} - ${aheadOf('$2')}) - clock_timestamp())::float8 * 1000 as "inMs"
  from (
    select next_check_at, region_next_checks, client, definition from schedules
      where state = 'active' and next_check_at is not null
      order by next_check_at limit 100
  ) s`;

/** Checks in one statement if `lockDue` would lock any schedule, and when the next scan is due. */
const selectNear = `
  select exists (select from schedules where ${isNear('$2')} and ${isSwitchedOn('$1')}) as "isNear", n."inMs"
  from (${selectNextCheck}) n`;

/** Checks if there are buffered occurrences. This is fast, because they are few and have an index of their own. */
const selectBuffered = `select from occurrences where state = 'buffered' limit 1`;

const lockBuffered = `
  select ${plannedColumns} from schedules s
  where s.state = 'active' and exists (select from occurrences where schedule = s.id and state = 'buffered')
    and ${isSwitchedOn('$2')}
  limit $1 for update skip locked`;

/**
 * Fires buffered occurrences whose previous fire has ended. They become due now. Like all due times, the time is
 * rounded to whole milliseconds.
 */
const unbuffer = `
  update occurrences b set state = 'fired', due_at = date_trunc('milliseconds', now()), region = $2, owner = $3,
    decided_at = now()
  where b.schedule = any($1::uuid[]) and b.state = 'buffered' and not exists (
    select from occurrences o join schedules s on s.id = o.schedule
    where o.schedule = b.schedule and o.group_name = b.group_name and o.open and o.state = 'fired' and (${isAtWork}))
  returning schedule as "scheduleId", group_name as "group", ${msOf('scheduled_for')} as "scheduledForMs", kind, state,
    target as "targetId", ${msOf('due_at')} as "dueAtMs"`;

const forgetOld = `
  with o as (
    delete from occurrences where ctid = any(array(
      select ctid from occurrences where not open and decided_at < now() - $1::float8 * interval '1 day' limit $2
    )) returning 1
  ), k as (
    delete from skipped_instants where ctid = any(array(
      select ctid from skipped_instants where recorded_at < now() - $1::float8 * interval '1 day' limit $2
    )) returning 1
  )
  select ((select count(*) from o) + (select count(*) from k))::int as forgotten`;

const lockActive = `
  select ${plannedColumns}, ${msOf('s.next_at')} as "nextAtMs", ${msOf('s.next_check_at')} as "nextCheckAtMs"
  from schedules s
  where s.state in ('active', 'broken') and ($1::uuid is null or s.id > $1) order by s.id limit $2
    for update skip locked`;

const rearm = `
  update schedules s set next_at = k.next_at, next_check_at = k.next_check_at, region_next_checks = '{}',
    state_since = case when s.state = 'broken' then now() else s.state_since end,
    state_reason = case when s.state = 'broken' then null else s.state_reason end, state = 'active'
  from jsonb_to_recordset($1::jsonb) as k (id uuid, next_at timestamptz, next_check_at timestamptz) where s.id = k.id`;
