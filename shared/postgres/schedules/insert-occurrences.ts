import type { PoolClient } from 'pg';
import type { NewOccurrence } from '../../contracts/schedules/planned-rows.ts';
import { partitionOf } from '../../domain/partitioning.ts';
import { notifyChange } from '../connection/change-feed.ts';
import { storeJobsWithin, valuesOf } from '../jobs/job-intake.ts';
import { occurrenceJob } from './occurrence-job.ts';
import { spendRoom } from './room-for-fires.ts';
import type { PlannedRow } from './schedule-rows.ts';

export interface Inserter {
  nodeRegion: string;
  owner: string;
}

/**
 * Inserts occurrences, and a job or run start for each fired occurrence whose insert succeeded: the insert elects one
 * winner. Returns the inserted occurrences.
 */
export async function insertOccurrences(
  client: PoolClient,
  rows: readonly PlannedRow[],
  wanted: readonly NewOccurrence[],
  { nodeRegion, owner }: Inserter,
): Promise<NewOccurrence[]> {
  if (wanted.length === 0) return [];
  const { rows: won } = await client.query<{ position: number }>(insertWanted, [
    JSON.stringify(wanted.map((occurrence, position) => wantedJson(occurrence, position))),
    nodeRegion,
    owner,
  ]);
  const positions = new Set(won.map(({ position }) => position));
  const inserted = wanted.filter((_, position) => positions.has(position));
  await beginTargets(client, rows, inserted);
  return inserted;
}

/**
 * Inserts the jobs and run starts of fired occurrences. Their ids are derived, so that existing rows stay unchanged.
 */
export async function beginTargets(
  client: PoolClient,
  rows: readonly PlannedRow[],
  occurrences: readonly NewOccurrence[],
): Promise<void> {
  const bySchedule = new Map(rows.map((row) => [row.scheduleId, row]));
  const fired = occurrences.filter(({ state }) => state === 'fired');
  const targets = fired.map((occurrence) => ({ occurrence, row: requireRow(bySchedule, occurrence.scheduleId) }));
  const jobs = targets.filter(({ row }) => row.target.kind === 'callback');
  const starts = targets.filter(({ row }) => row.target.kind === 'campaign');
  if (jobs.length > 0) {
    const relevancies = await readRelevancies(client, jobs);
    const stored = jobs.map(({ occurrence, row }) => occurrenceJob(occurrence, row, relevancies));
    await client.query(storeJobsWithin.with({ ...valuesOf(stored), slot: slotOfSchedules }));
    await spendRoom(client, stored);
    await notifyChange('jobs', client);
  }
  if (starts.length > 0) await client.query(insertStarts, [JSON.stringify(starts.map(startJson))]);
}

interface TargetRow {
  occurrence: NewOccurrence;
  row: PlannedRow;
}

function requireRow(rows: ReadonlyMap<string, PlannedRow>, scheduleId: string): PlannedRow {
  const row = rows.get(scheduleId);
  if (!row) throw new Error(`an occurrence was planned of schedule ${scheduleId}, which was not looked at`);
  return row;
}

const iso = (ms: number) => new Date(ms).toISOString();

function wantedJson(occurrence: NewOccurrence, position: number) {
  const { scheduleId, group, scheduledForMs, kind, state, targetId, dueAtMs } = occurrence;
  return {
    position,
    schedule: scheduleId,
    group_name: group,
    scheduled_for: iso(scheduledForMs),
    kind,
    state,
    target: targetId,
    due_at: iso(dueAtMs),
  };
}

/** Returns, by client, the relevancy in milliseconds of jobs that do not set their own. */
async function readRelevancies(client: PoolClient, targets: readonly TargetRow[]): Promise<Map<string, number>> {
  const ids = targets.flatMap(({ row }) => (row.target.kind === 'callback' ? [row.target.clientId] : []));
  const { rows } = await client.query<{ id: string; relevancyMs: number }>(selectRelevancies, [[...new Set(ids)]]);
  return new Map(rows.map(({ id, relevancyMs }) => [id, relevancyMs]));
}

function startJson({ occurrence, row }: TargetRow) {
  if (row.target.kind !== 'campaign') throw new Error(`schedule ${row.scheduleId} starts no campaign`);
  const { campaignId, revision } = row.target;
  const { targetId: id, dueAtMs } = occurrence;
  return { id, partition_id: partitionOf(campaignId), due_at: iso(dueAtMs), campaign: campaignId, revision };
}

const insertWanted = `
  with k as (
    select * from jsonb_to_recordset($1::jsonb) as k (position int, schedule uuid, group_name text,
      scheduled_for timestamptz, kind text, state text, target uuid, due_at timestamptz)
  ), o as (
    insert into occurrences (schedule, group_name, scheduled_for, kind, state, open, target, due_at, region, owner,
      decided_at)
    select k.schedule, k.group_name, k.scheduled_for, k.kind, k.state, true, k.target, k.due_at, $2, $3,
      greatest(now(), k.scheduled_for) from k
    on conflict do nothing returning schedule, group_name, scheduled_for
  )
  select k.position from k join o using (schedule, group_name, scheduled_for)`;

/** Slot of a client's totals that no process accepting jobs uses. */
const slotOfSchedules = -2;

const selectRelevancies = `
  select id, (definition ->> 'relevancySeconds')::float8 * 1000 as "relevancyMs" from clients
  where id = any($1::uuid[]) and definition ? 'relevancySeconds'`;

const insertStarts = `
  insert into run_starts (partition_id, due_at, id, campaign, revision)
  select partition_id, due_at, id, campaign, revision
  from jsonb_to_recordset($1::jsonb) as k (partition_id int, due_at timestamptz, id uuid, campaign uuid, revision int)
  on conflict do nothing`;
