import type { Pool } from 'pg';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import type { Pace } from '../pace.port.ts';

/** Calls with the same name are due one after the other: each granted call postpones the due time of the next. */
const takeCalls = statementOf<{ name: string; costMs: number; maxWaitMs: number }>(
  'connectors-take-calls',
  ($) => `
  insert into connectors.paces as p (name, next_at)
  values (${$('name')}, clock_timestamp() + ${$('costMs')}::float8 * interval '1 millisecond')
  on conflict (name) do update
  set next_at = greatest(p.next_at, clock_timestamp()) + ${$('costMs')}::float8 * interval '1 millisecond'
  where p.next_at <= clock_timestamp() + ${$('maxWaitMs')}::float8 * interval '1 millisecond'
  returning greatest(0, extract(epoch from next_at - clock_timestamp()) * 1000 - ${$('costMs')}::float8)::float8
    as "waitMs"`,
);

const selectWait = statementOf<{ name: string }>(
  'connectors-pace-wait',
  ($) => `
  select greatest(0, extract(epoch from next_at - clock_timestamp()) * 1000)::float8 as "waitMs"
  from connectors.paces where name = ${$('name')}`,
);

const pauseCalls = statementOf<{ name: string; forMs: number }>(
  'connectors-pause-calls',
  ($) => `
  insert into connectors.paces as p (name, next_at)
  values (${$('name')}, clock_timestamp() + ${$('forMs')}::float8 * interval '1 millisecond')
  on conflict (name) do update set next_at = greatest(p.next_at, excluded.next_at)`,
);

const deleteIdlePaces = statementOf<Record<string, never>>(
  'connectors-delete-idle-paces',
  () => `delete from connectors.paces where next_at < clock_timestamp() - interval '1 day'`,
);

/** Stores one row for each name. Calls requested together cost one statement. */
export function createPace(pool: Pool): Pace & { sweep(): Promise<void> } {
  return {
    take: async (name, { calls, perSecond, maxWaitMs }) => {
      const costMs = perSecond === undefined ? 0 : (calls * 1000) / perSecond;
      const taken = await pool.query<{ waitMs: number }>(takeCalls.with({ name, costMs, maxWaitMs }));
      if (taken.rows[0]) return { isGranted: true, waitMs: taken.rows[0].waitMs };
      const { rows } = await pool.query<{ waitMs: number }>(selectWait.with({ name }));
      return { isGranted: false, waitMs: rows[0]?.waitMs ?? 0 };
    },
    pause: async (name, forMs) => {
      await pool.query(pauseCalls.with({ name, forMs }));
    },
    sweep: async () => {
      await pool.query(deleteIdlePaces.with({}));
    },
  };
}
