import type { PoolClient } from 'pg';
import type { NewOccurrence } from '../../contracts/schedules/planned-rows.ts';
import type { RunRoom } from './room-for-runs.ts';
import type { PlannedRow } from './schedule-rows.ts';

/** Jobs per second for a client without `acceptPerSecond`, because schedules fire without a request for each job. */
export const defaultFiresPerSecond = 1000;
/** Burst, in seconds of the rate, because markets fire together. */
const burstSeconds = 60;

/** Number of jobs that schedules may create for a client now. */
export interface FireRoom {
  jobs: number;
  /** The tighter bound; `limit` is its value. */
  bound: 'maxStoredJobs' | 'acceptPerSecond';
  limit: number;
}

/**
 * Returns, by client, how many jobs schedules may create, by its stored jobs and its rate. Scheduled jobs reduce the
 * rate left for the API, so that both together keep to the rate. Other transactions that fire for these clients wait
 * for the end of this one.
 */
export async function roomForFires(
  client: PoolClient,
  rows: readonly PlannedRow[],
): Promise<ReadonlyMap<string, FireRoom>> {
  const clients = clientsOf(rows);
  if (clients.length === 0) return new Map();
  const { rows: found } = await client.query<RoomRow>(selectRoom, [clients, defaultFiresPerSecond, burstSeconds]);
  return new Map(found.map((row) => [row.client, roomOf(row)]));
}

interface RoomRow {
  client: string;
  perSecond: number;
  tokens: number;
  maxStored: number;
  stored: number;
}

function roomOf({ perSecond, tokens, maxStored, stored }: RoomRow): FireRoom {
  const [rated, free] = [Math.max(0, Math.floor(tokens)), Math.max(0, maxStored - stored)];
  if (free <= rated) return { jobs: free, bound: 'maxStoredJobs', limit: maxStored };
  return { jobs: rated, bound: 'acceptPerSecond', limit: perSecond };
}

/** Splits occurrences into those that fit, the earliest first, and the rest. */
export function withinRoom(
  { rooms, runs }: { rooms: ReadonlyMap<string, FireRoom>; runs: RunRoom },
  rows: readonly PlannedRow[],
  wanted: readonly NewOccurrence[],
): { within: NewOccurrence[]; beyond: NewOccurrence[] } {
  const targetOf = new Map(rows.map(({ scheduleId, target }) => [scheduleId, target]));
  const left = new Map(Array.from(rooms, ([client, { jobs }]) => [client, jobs]));
  const takes = ({ scheduleId, state }: NewOccurrence): boolean => {
    const target = targetOf.get(scheduleId);
    if (target === undefined || state !== 'fired') return true;
    if (target.kind === 'campaign') return runs.take(target.campaignId);
    const jobs = left.get(target.clientId) ?? 0;
    left.set(target.clientId, jobs - 1);
    return jobs > 0;
  };
  const inTurn = wanted.toSorted((a, b) => a.scheduledForMs - b.scheduledForMs);
  const { within = [], beyond = [] } = Object.groupBy(inTurn, (each) => (takes(each) ? 'within' : 'beyond'));
  return { within, beyond };
}

export async function spendRoom(client: PoolClient, fired: readonly { clientId: string }[]): Promise<void> {
  const jobs = Map.groupBy(fired, ({ clientId }) => clientId);
  const spent = Array.from(jobs, ([id, { length }]) => ({ client: id, jobs: length }));
  await client.query(spend, [JSON.stringify(spent)]);
}

function clientsOf(rows: readonly PlannedRow[]): string[] {
  return [...new Set(rows.flatMap(({ target }) => (target.kind === 'callback' ? [target.clientId] : [])))].sort();
}

const selectRoom = `
  with limits as (
    select id, coalesce((definition ->> 'acceptPerSecond')::float8, $2::float8) as per_second,
      coalesce((definition ->> 'maxStoredJobs')::float8, 10000000) as max_stored
    from clients where id = any($1::uuid[])
  ), filled as (
    insert into client_fire_rates as r (client, tokens, filled_at)
    select id, per_second * $3, now() from limits order by id
    on conflict (client) do update set filled_at = greatest(r.filled_at, excluded.filled_at),
      tokens = least(excluded.tokens,
        r.tokens + excluded.tokens / $3 * greatest(0, extract(epoch from excluded.filled_at - r.filled_at)))
    returning client, tokens
  )
  select l.id as client, l.per_second as "perSecond", f.tokens, l.max_stored as "maxStored",
    coalesce((select sum(accepted - called - expired - cancelled - dead) from client_totals t where t.client = l.id),
      0)::float8 as stored
  from limits l join filled f on f.client = l.id`;

const spend = `
  update client_fire_rates r set tokens = r.tokens - k.jobs
  from jsonb_to_recordset($1::jsonb) as k (client uuid, jobs int) where r.client = k.client`;
