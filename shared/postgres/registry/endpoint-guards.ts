import type { Pool } from 'pg';
import { probeDelayMs, slowStartMs } from '../../domain/endpoint/endpoint-guards.ts';
import type { EndpointGuards, GuardState, GuardReader, GuardRow } from '../../ports/endpoint-guards.ts';
import { textArray } from '../connection/array-literals.ts';
import { statementOf } from '../connection/statement.ts';

/** Time after which a silent worker counts as gone, or as no longer working on the shard. */
const watcherLasts = `interval '5 seconds'`;
const slowStartLasts = `${slowStartMs} * interval '1 millisecond'`;

interface GuardStateRow {
  actionType: string;
  country: string;
  isOpen: boolean;
  cause: string;
  retryInMs: number;
  sinceMs: number;
  workers: number;
  rank: number;
}

/** @param deps.owner unique id of this process */
export function createEndpointGuards({ pool, owner }: { pool: Pool; owner: string }): EndpointGuards {
  /** Reads without a lock, because two processes that read the same number only choose the same delay. */
  async function openingsOf(actionType: string, country: string): Promise<number> {
    const { rows } = await pool.query<{ openings: number }>(selectOpenings.with({ actionType, country }));
    return rows[0]?.openings ?? 0;
  }

  return {
    read: async (working) => {
      const { rows } = await pool.query<GuardStateRow>(
        readGuards.with({
          actionTypes: textArray(working.map(({ actionType }) => actionType)),
          countries: textArray(working.map(({ country }) => country)),
          owner,
        }),
      );
      return rows.map(guardStateOf);
    },
    open: async ({ shard, cause, retryAfterMs, random }) => {
      const delayMs = probeDelayMs((await openingsOf(shard.actionType, shard.country)) + 1, retryAfterMs, random);
      await pool.query(openGuard.with({ ...shard, cause, delayMs }));
    },
    takeProbe: async (shard, leaseMs) => {
      const { rowCount } = await pool.query(takeProbe.with({ ...shard, owner, leaseMs }));
      return rowCount === 1;
    },
    endProbe: async ({ shard, answered, cause, retryAfterMs, random }) => {
      if (answered) {
        await pool.query(closeGuard.with({ ...shard, owner }));
        return;
      }
      const delayMs = probeDelayMs((await openingsOf(shard.actionType, shard.country)) + 1, retryAfterMs, random);
      await pool.query(failProbe.with({ ...shard, owner, cause, delayMs }));
    },
    close: async (shard, { startsSlowly }) => {
      await pool.query(closeServingGuard.with({ ...shard, sinceMs: startsSlowly ? 0 : slowStartMs }));
    },
  };
}

export function createGuardReader({ pool }: { pool: Pool }): GuardReader {
  return {
    list: async () => {
      const { rows } = await pool.query<GuardRow>(selectGuards);
      return rows;
    },
  };
}

function guardStateOf({
  actionType,
  country,
  isOpen,
  cause,
  retryInMs,
  sinceMs,
  workers,
  rank,
}: GuardStateRow): GuardState {
  return isOpen
    ? { actionType, country, state: 'open', cause, retryInMs }
    : { actionType, country, state: 'slow-start', sinceMs, workers, rank };
}

/**
 * Reads guards that are open or starting slowly, of a table with a row for each shard that was ever down. The worker
 * registers only if it passes such shards.
 */
export const readGuards = statementOf<{ actionTypes: string; countries: string; owner: string }>(
  'look-at-guards',
  ($) => `
  with w as (
    insert into slow_start_workers (action_type, country, worker, seen_at)
    select action_type, country, ${$('owner')}, now()
      from unnest(${$('actionTypes')}::text[], ${$('countries')}::text[]) k (action_type, country)
    order by action_type, country
    on conflict (action_type, country, worker) do update set seen_at = excluded.seen_at
  )
  select g.action_type as "actionType", g.country, g.state = 'open' as "isOpen", g.cause,
    greatest(0, extract(epoch from g.retry_at - now()) * 1000)::float8 as "retryInMs",
    greatest(0, extract(epoch from now() - g.slow_start_at) * 1000)::float8 as "sinceMs", 1 + o.others as workers,
    o.rank
  from shard_breakers g
  cross join lateral (
    select count(*)::int as others, count(*) filter (where worker < ${$('owner')})::int as rank from slow_start_workers
    where action_type = g.action_type and country = g.country and worker <> ${$('owner')}
      and seen_at > now() - ${watcherLasts}
  ) o
  where g.state = 'open' or g.slow_start_at > now() - ${slowStartLasts}`,
);

/** Selects the number of consecutive openings of a breaker. Earlier openings count until the slow start is over. */
export const selectOpenings = statementOf<{ actionType: string; country: string }>(
  'select-guard-openings',
  ($) => `
  select openings from shard_breakers
  where action_type = ${$('actionType')} and country = ${$('country')}
    and (state = 'open' or slow_start_at > now() - ${slowStartLasts})`,
);

export const openGuard = statementOf<{ actionType: string; country: string; cause: string; delayMs: number }>(
  'open-guard',
  ($) => `
  insert into shard_breakers as g (action_type, country, state, cause, retry_at)
  values (${$('actionType')}, ${$('country')}, 'open', ${$('cause')},
    now() + ${$('delayMs')}::float8 * interval '1 millisecond')
  on conflict (action_type, country) do update set state = 'open', cause = excluded.cause, opened_at = now(),
    retry_at = excluded.retry_at,
    openings = case when g.slow_start_at > now() - ${slowStartLasts} then g.openings + 1 else 1 end,
    probe_owner = null, probe_until = null
  where g.state = 'closed'`,
);

export const takeProbe = statementOf<{ actionType: string; country: string; owner: string; leaseMs: number }>(
  'take-probe',
  ($) => `
  update shard_breakers set probe_owner = ${$('owner')},
    probe_until = now() + ${$('leaseMs')}::float8 * interval '1 millisecond'
  where action_type = ${$('actionType')} and country = ${$('country')} and state = 'open' and retry_at <= now()
    and (probe_until is null or probe_until <= now())`,
);

interface EndProbeParams {
  actionType: string;
  country: string;
  owner: string;
}

export const closeGuard = statementOf<EndProbeParams>(
  'close-guard',
  ($) => `
  update shard_breakers set state = 'closed', slow_start_at = now(), probe_owner = null, probe_until = null
  where action_type = ${$('actionType')} and country = ${$('country')} and state = 'open'
    and probe_owner = ${$('owner')}`,
);

export const closeServingGuard = statementOf<{ actionType: string; country: string; sinceMs: number }>(
  'close-serving-guard',
  ($) => `
  update shard_breakers set state = 'closed', probe_owner = null, probe_until = null,
    slow_start_at = now() - ${$('sinceMs')}::float8 * interval '1 millisecond'
  where action_type = ${$('actionType')} and country = ${$('country')} and state = 'open'`,
);

export const failProbe = statementOf<EndProbeParams & { cause: string; delayMs: number }>(
  'fail-probe',
  ($) => `
  update shard_breakers set cause = ${$('cause')}, openings = openings + 1, probe_owner = null, probe_until = null,
    retry_at = now() + ${$('delayMs')}::float8 * interval '1 millisecond'
  where action_type = ${$('actionType')} and country = ${$('country')} and state = 'open'
    and probe_owner = ${$('owner')}`,
);

const selectGuards = `
  select action_type as "actionType", country, cause, opened_at as "openedAt",
    case when state = 'open' then 'open' when slow_start_at > now() - ${slowStartLasts} then 'slow-start'
      else 'closed' end as state,
    case when state = 'open' then retry_at end as "retryAt",
    case when state = 'closed' then slow_start_at end as "closedAt"
  from shard_breakers order by action_type, country`;

/**
 * True if the breaker of a shard has closed since a step was last released for some cause. That cause is over then; a
 * new problem is recorded anew. `f` is the feed, `c` the row of `step_causes`.
 */
export const isOverSinceClosed = `exists (
  select from runs o
  join revisions v on v.campaign = o.campaign and v.revision = o.revision
  join shard_breakers g on g.action_type = v.definition -> 'chain' -> (c.step - 1) ->> 'action'
    and g.country = f.country
  where o.id = f.run and g.state = 'closed' and g.slow_start_at >= c.last_at
)`;
