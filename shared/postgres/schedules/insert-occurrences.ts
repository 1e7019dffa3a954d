import type { PoolClient } from 'pg';
import type { KeptCall } from '../../contracts/kept-schedules.ts';
import { occurrenceKey, type NewOccurrence } from '../../contracts/planned-rows.ts';
import { jobPartitionOf } from '../../domain/job-ids.ts';
import { partitionOf } from '../../domain/partitioning.ts';
import { publicId } from '../../domain/ids.ts';
import type { PlannedRow } from './schedule-rows.ts';

export interface Inserter {
  nodeRegion: string;
  owner: string;
}

/**
 * Inserts occurrences, and a job or the start of a run for each fired one whose insertion was won: that insert is the election. Returns those
 * that were won.
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

/** Inserts the jobs and run starts of what fires. Their ids are derived: what is there already stays as it is. */
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
  if (jobs.length > 0) await client.query(insertJobs, [JSON.stringify(jobs.map(jobJson))]);
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
    ...{ position, schedule: scheduleId, group_name: group, scheduled_for: iso(scheduledForMs) },
    ...{ kind, state, target: targetId, due_at: iso(dueAtMs) },
  };
}

function jobJson({ occurrence, row }: TargetRow) {
  const { scheduleId, group, scheduledForMs, targetId, dueAtMs } = occurrence;
  const call = row.schedule.definition.call;
  if (row.target.kind !== 'callback' || !call) throw new Error(`schedule ${scheduleId} has nothing to call`);
  return {
    id: targetId,
    partition_id: jobPartitionOf(targetId),
    client: row.target.clientId,
    due_at: iso(dueAtMs),
    relevancy_s: call.relevancySeconds,
    key: occurrenceKey(scheduleId, group, scheduledForMs),
    method: call.method,
    url: call.url,
    headers: JSON.stringify({ ...headersOf(call), ...occurrenceHeaders(occurrence) }),
    body: call.body,
    tags: call.tags,
    schedule: scheduleId,
  };
}

function headersOf({ headers }: KeptCall): object {
  const parsed: unknown = headers === null ? {} : JSON.parse(headers);
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

/** Whoever is called learns what for. */
function occurrenceHeaders({ scheduleId, group, scheduledForMs }: NewOccurrence) {
  return {
    'muster-schedule-id': publicId('schedule', scheduleId),
    'muster-scheduled-for': iso(scheduledForMs),
    ...(group === '' ? {} : { 'muster-group': group }),
  };
}

function startJson({ occurrence, row }: TargetRow) {
  if (row.target.kind !== 'campaign') throw new Error(`schedule ${row.scheduleId} starts no campaign`);
  const { campaignId, revision } = row.target;
  const { targetId: id, dueAtMs } = occurrence;
  return { id, partition_id: partitionOf(campaignId), due_at: iso(dueAtMs), campaign: campaignId, revision };
}

const insertWanted = `
  with k as (
    select * from jsonb_to_recordset($1::jsonb) as k (position int, schedule uuid, group_name text, scheduled_for timestamptz, kind text,
      state text, target uuid, due_at timestamptz)
  ), o as (
    insert into occurrences (schedule, group_name, scheduled_for, kind, state, open, target, due_at, region, owner)
    select k.schedule, k.group_name, k.scheduled_for, k.kind, k.state, true, k.target, k.due_at, $2, $3 from k
    on conflict do nothing returning schedule, group_name, scheduled_for
  )
  select k.position from k join o using (schedule, group_name, scheduled_for)`;

/** Past times are due now: behind the watermark of their partition nobody would see them. */
const insertJobs = `
  with k as (
    select * from jsonb_to_recordset($1::jsonb) as k (id uuid, partition_id int2, client uuid, due_at timestamptz, relevancy_s float8, key text,
      method text, url text, headers text, body text, tags text[], schedule uuid)
  ), j as (
    insert into jobs (partition_id, due_at, id, client, scheduled_for, expires_at, key, method, url, headers, body, tags, schedule)
    select k.partition_id, d.due, k.id, k.client, d.due, d.due + k.relevancy_s * interval '1 second', k.key, k.method, k.url, k.headers, k.body,
      k.tags, k.schedule
    from k cross join lateral (select greatest(k.due_at, now()) as due) d
    where not exists (select from ended_jobs e where e.id = k.id) and not exists (select from dead_jobs g where g.id = k.id)
    on conflict (id) do nothing returning client
  )
  insert into client_totals as t (client, slot, accepted) select client, -2, count(*) from j group by client order by client
  on conflict (client, slot) do update set accepted = t.accepted + excluded.accepted`;

const insertStarts = `
  insert into run_starts (partition_id, due_at, id, campaign, revision)
  select partition_id, due_at, id, campaign, revision
  from jsonb_to_recordset($1::jsonb) as k (partition_id int, due_at timestamptz, id uuid, campaign uuid, revision int)
  on conflict do nothing`;
