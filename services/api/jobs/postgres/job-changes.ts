import type { Pool } from 'pg';
import { z } from 'zod';
import { jobChangeVerbs } from '../../../../shared/contracts/jobs/jobs.ts';
import { plainArray } from '../../../../shared/postgres/array-literals.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/transaction.ts';
import type { JobChanges } from '../job-changes.port.ts';
import { cancelJobs, moveJobs } from './job-statements.ts';
import { changeLocked } from './job-store.ts';

const filter = z.object({
  state: z.enum(['pending', 'sidelined']).optional(),
  tag: z.string().optional(),
  dueFrom: z.coerce.date().optional(),
  dueUntil: z.coerce.date().optional(),
});

const changeRow = z.object({
  changeId: z.string(),
  clientId: z.string(),
  verb: z.enum(jobChangeVerbs),
  filter,
  dueAt: z.date().nullable(),
  state: z.enum(['running', 'done']),
  place: z.string().nullable(),
  seen: z.coerce.number(),
  changed: z.coerce.number(),
  tooLate: z.coerce.number(),
  createdAt: z.date(),
  endedAt: z.date().nullable(),
});

const select = `
  select id as "changeId", client as "clientId", verb, filter, due_at as "dueAt", state, place, seen, changed, too_late as "tooLate",
    created_at as "createdAt", ended_at as "endedAt"
  from job_changes`;

/** @param slot of the totals, for what this process cancels */
export function createJobChanges({ pool, slot }: { pool: Pool; slot: number }): JobChanges {
  const get: JobChanges['get'] = async (changeId) => {
    const { rows } = await pool.query<object>(`${select} where id = $1`, [changeId]);
    return rows[0] && changeRow.parse(rows[0]);
  };

  return {
    get,
    create: async ({ changeId, clientId, verb, filter: wanted, dueAt }) => {
      const insert =
        'insert into job_changes (id, client, verb, filter, due_at) values ($1, $2, $3, $4, $5) on conflict do nothing';
      await pool.query(insert, [changeId, clientId, verb, JSON.stringify(wanted), dueAt]);
      const made = await get(changeId);
      if (!made) throw new Error('a change of jobs is gone right after it was made');
      return made;
    },
    nextRunning: async () => {
      const { rows } = await pool.query<object>(`${select} where state = 'running' order by id limit 1`);
      return rows[0] && changeRow.parse(rows[0]);
    },
    apply: async ({ changeId, verb, dueAt, place }, jobIds, next) => {
      const ids = plainArray(jobIds);
      const due = { dueAt: dueAt?.toISOString() ?? null, delayMs: 0 };
      const statement = verb === 'cancel' ? cancelJobs.with({ ids, slot }) : moveJobs.with({ ids, ...due });
      await retryingDeadlocks(() =>
        inTransaction(pool, async (client) => {
          const { rowCount } = await client.query(takePlace, [changeId, place, next]);
          if (rowCount === 0) return;
          const answers = jobIds.length === 0 ? [] : await changeLocked(client, jobIds, statement);
          const changed = answers.filter(({ kind }) => kind === 'changed').length;
          await client.query(count, [changeId, answers.length, changed]);
        }),
      );
    },
  };
}

const takePlace = `
  update job_changes set place = $3, state = case when $3::text is null then 'done' else state end,
    ended_at = case when $3::text is null then now() end
  where id = $1 and state = 'running' and place is not distinct from $2`;

const count =
  'update job_changes set seen = seen + $2, changed = changed + $3, too_late = too_late + $2 - $3 where id = $1';
