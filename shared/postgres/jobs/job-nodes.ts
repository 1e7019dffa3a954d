import type { Pool } from 'pg';
import { writtenDurations } from '../../domain/job/call-durations.ts';
import { deadAfterMs, type CallDurations, type JobNodes } from '../../ports/job-nodes.ts';
import { statementOf } from '../connection/statement.ts';

export function createJobNodes({ pool }: { pool: Pool }): JobNodes {
  return {
    beat: async ({ owner, kind, region, figures, credit, calls, durations }, ttlMs) => {
      await pool.query(
        beat.with({
          owner,
          kind,
          region,
          ttlMs,
          figures: JSON.stringify(figures),
          anyClientCredit: credit?.toAnyClient ?? null,
          clientCredit: JSON.stringify(credit?.toClients ?? {}),
          endpointCalls: calls ? JSON.stringify(calls) : null,
          callDurations: durations ? textOf(durations) : null,
        }),
      );
    },
    dispatchers: async () => {
      const { rows } = await pool.query<{ owner: string }>(selectDispatchers);
      return rows.map(({ owner }) => owner);
    },
    leave: async (owner) => {
      await pool.query(leave, [owner]);
    },
  };
}

/** Serializes durations as `{"forMs": …, "byEndpoint": {"…": {"250": 40}}}`, which other versions read too. */
function textOf({ forMs, byEndpoint }: CallDurations): string {
  const endpoints = Array.from(byEndpoint, ([endpointId, buckets]) => `"${endpointId}":${writtenDurations(buckets)}`);
  return `{"forMs":${forMs},"byEndpoint":{${endpoints.join(',')}}}`;
}

interface Beat {
  owner: string;
  kind: string;
  region: string;
  ttlMs: number;
  figures: string;
  /** Credit for any client; null if the node grants no credit. */
  anyClientCredit: number | null;
  clientCredit: string;
  /** Calls by endpoint; null if unchanged since the last heartbeat. */
  endpointCalls: string | null;
  callDurations: string | null;
}

const beat = statementOf<Beat>(
  'beat-node',
  ($) => `
  insert into job_nodes (owner, kind, region, expires_at, figures, default_client_credit, client_credit,
    endpoint_calls, call_durations)
  values (${$('owner')}, ${$('kind')}, ${$('region')}, now() + ${$('ttlMs')} * interval '1 millisecond',
    ${$('figures')}::jsonb, ${$('anyClientCredit')}, ${$('clientCredit')}::jsonb,
    coalesce(${$('endpointCalls')}::jsonb, '{}'), coalesce(${$('callDurations')}::jsonb, '{}'))
  on conflict (owner) do update set expires_at = excluded.expires_at,
    alive_since = case when job_nodes.expires_at < now() then now() else job_nodes.alive_since end,
    figures = excluded.figures, default_client_credit = excluded.default_client_credit,
    client_credit = excluded.client_credit,
    endpoint_calls = coalesce(${$('endpointCalls')}::jsonb, job_nodes.endpoint_calls),
    call_durations = coalesce(${$('callDurations')}::jsonb, job_nodes.call_durations)`,
);

/** Orders by bytes: all dispatchers have to see the same order. */
const selectDispatchers = `
  select owner from job_nodes n join regions r on r.name = n.region
  where n.kind = 'dispatcher' and n.expires_at > now() and r.active order by owner collate "C"`;

/** Ends the node's heartbeat and credit, which releases its claims. Its row stays for a day as a record. */
const leave = `
  with gone as (delete from job_nodes where expires_at < now() - interval '1 day')
  update job_nodes set expires_at = now() - interval '1 ms', default_client_credit = null, client_credit = '{}',
    endpoint_calls = '{}', call_durations = '{}'
    where owner = $1`;

/**
 * True if some node's heartbeat has been stored for at least `deadAfterMs`. After an outage of the database every row
 * has expired, and live owners need time for a heartbeat.
 */
export const beatsAreStored = `exists (select from job_nodes
        where expires_at >= now() and alive_since < now() - interval '${deadAfterMs} milliseconds')`;

/**
 * Condition: the fire's job may be called anew once its owner has died. A job with an ordering key has to wait until a
 * lost call is certainly over (`exclusive_until`).
 */
export const isUncalled = (fire: string) => `(${fire}.exclusive_until is null or ${fire}.exclusive_until < now())`;

/** Owners whose claims are free. Postgres computes the array once in a statement, and only if a claim is met. */
export const deadOwners = `array(select owner from job_nodes where expires_at < now())`;
