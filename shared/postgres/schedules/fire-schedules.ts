import type { PoolClient } from 'pg';
import { planSchedule, type BrokenSchedule } from '../../contracts/schedules/kept-schedules.ts';
import { occurrencesOf, type NewOccurrence } from '../../contracts/schedules/planned-rows.ts';
import type { RegisteredGroup } from '../../domain/recurrence/groups.ts';
import type { Quotas } from '../../domain/quotas.ts';
import type { OccurrencePlan, PlannedOccurrence } from '../../domain/recurrence/plan-occurrences.ts';
import type { SkippedRange } from '../../domain/recurrence/due-instants.ts';
import { breakSchedules, eachByItself, unlessRefused } from './broken-schedules.ts';
import { insertOccurrences } from './insert-occurrences.ts';
import { roomForFires, withinRoom } from './room-for-fires.ts';
import { campaignsOf, roomForRuns } from './room-for-runs.ts';
import { stopRemainders } from './stop-remainders.ts';
import { readWorkCalendars, type ReadWorkCalendars } from './work-calendars.ts';
import { msOf, plannedRowOf, type PlannedColumns, type PlannedRow } from './schedule-rows.ts';

export interface SkippedRow extends SkippedRange {
  scheduleId: string;
  group: string;
}

export interface FiredSchedules {
  /** Occurrences that this transaction inserted first. */
  occurrences: NewOccurrence[];
  skipped: SkippedRow[];
  ended: string[];
  broken: BrokenSchedule[];
}

/** The region and process that decide; a null region decides for all regions. */
export interface Decider {
  region: string | null;
  nodeRegion: string;
  owner: string;
}

export type FireQuotas = Pick<Quotas, 'openRuns'>;

/**
 * Plans schedules whose rows this transaction has locked, and writes the result. A schedule that cannot be read or
 * planned is marked as broken; the other schedules are planned without it.
 */
export async function fireSchedules(
  client: PoolClient,
  columns: readonly PlannedColumns[],
  decider: Decider,
  quotas: FireQuotas,
  readCalendars: ReadWorkCalendars = readWorkCalendars,
): Promise<FiredSchedules> {
  if (columns.length === 0) return { occurrences: [], skipped: [], ended: [], broken: [] };
  const { results, broken } = await unlessRefused(client, columns, (some) =>
    fireTogether(client, some, decider, quotas, readCalendars),
  );
  return {
    occurrences: results.flatMap((each) => each.occurrences),
    skipped: results.flatMap((each) => each.skipped),
    ended: results.flatMap((each) => each.ended),
    broken: [...results.flatMap((each) => each.broken), ...broken],
  };
}

async function fireTogether(
  client: PoolClient,
  columns: readonly PlannedColumns[],
  decider: Decider,
  quotas: FireQuotas,
  readCalendars: ReadWorkCalendars,
): Promise<FiredSchedules> {
  const { done: rows, broken: unreadable } = eachByItself(columns, ({ id }) => id, plannedRowOf);
  const ids = rows.map(({ scheduleId }) => scheduleId);
  const registered = rows.some(({ schedule }) => schedule.definition.groups) ? await readGroups(client) : [];
  const calendars = await readCalendars(client, rows.map(recurrenceIn));
  await client.query(closeOccurrences, [ids]);
  const open = await readOpen(client, ids);
  const decided = await readDecided(client, ids);

  const { done: planned, broken: unplannable } = eachByItself(
    rows,
    ({ scheduleId }) => scheduleId,
    (row) => {
      const { scheduleId, schedule, nowMs } = row;
      const view = { nowMs, region: decider.region, registered, calendars };
      const around = { open: open.get(scheduleId) ?? [], decided: decided.get(scheduleId) ?? [] };
      const plan = planSchedule(schedule, { ...view, ...around });
      const spreadMs = schedule.definition.recurrence.spreadSeconds * 1000;
      const wanted = occurrencesOf(plan, { scheduleId, target: row.target, spreadMs });
      return { row, plan, wanted, skipped: skippedOf(scheduleId, plan), move: moveJson(row, plan) };
    },
  );
  const broken = [...unreadable, ...unplannable];
  await breakSchedules(client, broken);
  const wanted = planned.flatMap((each) => each.wanted);
  const rooms = await roomForFires(client, rows);
  const runs = await roomForRuns(client, campaignsOf(rows), quotas.openRuns);
  const { within, beyond } = withinRoom({ rooms, runs }, rows, wanted);
  const skipped = [...planned.flatMap((each) => each.skipped), ...beyond.map(beyondRoom)];
  const occurrences = await insertOccurrences(client, rows, within, decider);
  if (skipped.length > 0) await client.query(insertSkipped, [JSON.stringify(skipped.map(skippedJson))]);
  await client.query(moveSchedules, [JSON.stringify(planned.map(({ move }) => move)), decider.region]);
  const ended = planned.filter(({ row, plan }) => row.isActive && plan.isOver).map(({ row }) => row);
  await stopRemainders(client, ended, 'cancel', 'the schedule that started it has ended');
  return { occurrences, skipped, ended: ended.map(({ scheduleId }) => scheduleId), broken };
}

function recurrenceIn({ schedule }: PlannedRow) {
  return schedule.definition.recurrence;
}

function skippedOf(scheduleId: string, { skipped, skippedOfGroup }: OccurrencePlan): SkippedRow[] {
  return [
    ...skipped.map((range) => ({ scheduleId, group: '', ...range })),
    ...skippedOfGroup.map(({ group, atMs, cause }) => {
      return { scheduleId, group, firstMs: atMs, lastMs: atMs, count: 1, cause };
    }),
  ];
}

function beyondRoom({ scheduleId, group, scheduledForMs: atMs }: NewOccurrence): SkippedRow {
  return { scheduleId, group, firstMs: atMs, lastMs: atMs, count: 1, cause: 'quota' };
}

const iso = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

function skippedJson({ scheduleId, group, firstMs, lastMs, count, cause }: SkippedRow) {
  return {
    schedule: scheduleId,
    group_name: group,
    first_at: iso(firstMs),
    last_at: iso(lastMs),
    instants: count,
    cause,
  };
}

function moveJson({ scheduleId, isActive }: PlannedRow, plan: OccurrencePlan) {
  return {
    id: scheduleId,
    high_water: iso(plan.highWaterMs),
    next_at: iso(plan.nextAtMs),
    next_check_at: iso(plan.nextCheckAtMs),
    waits: plan.waitsForOthers,
    is_over: isActive && plan.isOver,
  };
}

export async function readGroups(client: PoolClient): Promise<RegisteredGroup[]> {
  const { rows } = await client.query<RegisteredGroup>(selectGroups);
  return rows;
}

interface OpenRow {
  scheduleId: string;
  group: string;
  isBuffered: boolean;
}

async function readOpen(client: PoolClient, ids: readonly string[]): Promise<Map<string, OpenRow[]>> {
  const { rows } = await client.query<OpenRow>(selectOpen, [ids]);
  return Map.groupBy(rows, ({ scheduleId }) => scheduleId);
}

async function readDecided(client: PoolClient, ids: readonly string[]): Promise<Map<string, PlannedOccurrence[]>> {
  const { rows } = await client.query<PlannedOccurrence & { scheduleId: string }>(selectDecided, [ids]);
  return Map.groupBy(rows, ({ scheduleId }) => scheduleId);
}

const selectGroups = `
  select name, home_region as "homeRegion", fallback_seconds as "fallbackSeconds", tags, countries from schedule_groups
    order by name`;

/**
 * Condition: a fired occurrence has unfinished work, which is a waiting or running job, a run, or the start of one. `o`
 * and `s` are the rows of the occurrence and its schedule.
 */
export const isAtWork = `
  case when s.client is not null then exists (select from jobs j where j.id = o.target)
  else exists (select from run_starts t where t.id = o.target)
    or exists (select from runs r where r.campaign = s.campaign and r.scheduled_for = o.due_at and r.ended_at is null)
  end`;

/** Closes finished occurrences, so that they are not checked again. */
const closeOccurrences = `
  update occurrences o set open = false from schedules s
  where o.schedule = any($1::uuid[]) and s.id = o.schedule and o.open and o.state = 'fired' and not (${isAtWork})`;

const selectOpen = `
  select schedule as "scheduleId", group_name as "group", state = 'buffered' as "isBuffered"
  from occurrences where schedule = any($1::uuid[]) and open`;

const selectDecided = `
  select o.schedule as "scheduleId", o.group_name as "group", ${msOf('o.scheduled_for')} as "atMs"
  from schedules s join occurrences o on o.schedule = s.id and o.scheduled_for > s.high_water
    where s.id = any($1::uuid[])
  union all
  select k.schedule, k.group_name, ${msOf('k.first_at')}
  from schedules s join skipped_instants k on k.schedule = s.id and k.first_at > s.high_water
  where s.id = any($1::uuid[]) and k.cause <> 'clock-change'`;

const insertSkipped = `
  insert into skipped_instants (schedule, group_name, first_at, last_at, instants, cause, recorded_at)
  select k.*, now() from jsonb_to_recordset($1::jsonb)
    as k (schedule uuid, group_name text, first_at timestamptz, last_at timestamptz, instants int, cause text)
  on conflict do nothing`;

/**
 * Advances schedules. A region that leaves occurrences to other regions plans again at its own time; the other regions
 * plan at once. $2 is null if no occurrence is left to other regions.
 */
const moveSchedules = `
  update schedules s set high_water = k.high_water, next_at = k.next_at,
    next_check_at = case when k.waits then s.next_check_at else k.next_check_at end,
    region_next_checks = case
      when k.waits then s.region_next_checks || jsonb_build_object($2::text, k.next_check_at) else '{}' end,
    state = case when k.is_over then 'ended' else s.state end,
    state_reason = case when k.is_over then null else s.state_reason end,
    state_since = case when k.is_over then now() else s.state_since end,
    skip_until = case when k.high_water >= s.skip_until then null else s.skip_until end,
    skip_cause = case when k.high_water >= s.skip_until then null else s.skip_cause end
  from jsonb_to_recordset($1::jsonb)
    as k (id uuid, high_water timestamptz, next_at timestamptz, next_check_at timestamptz, waits boolean,
      is_over boolean)
  where s.id = k.id`;
