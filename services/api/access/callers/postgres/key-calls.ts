import type { Pool } from 'pg';

interface Answers {
  done: number;
  refused: number;
  failed: number;
}

export interface CallsOfDay extends Answers {
  /** Day in UTC, such as `2026-11-24`. */
  day: string;
}

export interface CallsOfOperation extends Answers {
  operation: string;
  lastAt: Date;
}

export interface KeyCalls {
  /** Today and the seven days before, the oldest first. A day without calls has zeros. */
  days: CallsOfDay[];
  /** Operations that were called in these days, the most recently called first. */
  operations: CallsOfOperation[];
}

export type KeyCallsReader = ReturnType<typeof createKeyCalls>;

/**
 * Creates the reader of the calls of a key. The number of rows is small: one per operation of the API and day, for
 * eight days.
 */
export function createKeyCalls({ pool }: { pool: Pool }) {
  return async (key: string): Promise<KeyCalls> => {
    const [days, operations] = await Promise.all([
      pool.query<CallsOfDay>(selectDays, [key]),
      pool.query<CallsOfOperation>(selectOperations, [key]),
    ]);
    return { days: days.rows, operations: operations.rows };
  };
}

const sums = `coalesce(sum(done), 0)::float8 as done, coalesce(sum(refused), 0)::float8 as refused,
    coalesce(sum(failed), 0)::float8 as failed`;

const today = `(now() at time zone 'UTC')::date`;

const selectDays = `
  select to_char(d.day, 'YYYY-MM-DD') as day, ${sums}
  from (select ${today} - ago as day from generate_series(0, 7) ago) d
  left join api_key_calls c on c.api_key = $1 and c.day = d.day
  group by d.day order by d.day`;

const selectOperations = `
  select operation, ${sums}, max(last_at) as "lastAt"
  from api_key_calls where api_key = $1 and day >= ${today} - 7
  group by operation order by max(last_at) desc, operation collate "C"`;
