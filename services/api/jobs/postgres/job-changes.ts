import type { Pool } from 'pg';
import { z } from 'zod';
import type { JobChangeShape } from '../../../../shared/contracts/jobs/job-changes.ts';
import { priorities } from '../../../../shared/domain/priorities.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { inTransaction, retryingDeadlocks } from '../../../../shared/postgres/connection/transaction.ts';
import { advanceCommitted, type WokenRow } from '../../../../shared/postgres/jobs/key-wakes.ts';
import { jobNotifierOn } from '../../../../shared/postgres/jobs/job-notifier.ts';
import { cancelJobs, moveJobs, type NamedJobs } from './job-statements.ts';
import { changeLocked } from './job-store.ts';

/** Filter of a list of jobs. It does not include the client, which has its own column. */
const filter = z.object({
  state: z.enum(['pending', 'waiting', 'reporting', 'sidelined']).optional(),
  tag: z.string().optional(),
  endpoint: z.string().optional(),
  orderingKey: z.string().optional(),
  priority: z.enum(priorities).optional(),
  dueFrom: z.coerce.date().optional(),
  dueUntil: z.coerce.date().optional(),
});

export interface JobChange {
  changeId: string;
  clientId: string;
  verb: JobChangeShape['verb'];
  filter: z.output<typeof filter>;
  /** New due time; null if the jobs are cancelled. */
  dueAt: Date | null;
  state: JobChangeShape['state'];
  /** Cursor of the list of jobs: the jobs before it were changed. Null at the beginning. */
  place: string | null;
  seen: number;
  changed: number;
  tooLate: number;
  createdAt: Date;
  endedAt: Date | null;
}

export type NewJobChange = Pick<JobChange, 'changeId' | 'clientId' | 'verb' | 'filter' | 'dueAt'>;

const select = `
  select id as "changeId", client as "clientId", verb, filter, due_at as "dueAt", state, cursor as place,
    examined::float8 as seen, changed::float8 as changed, too_late::float8 as "tooLate", created_at as "createdAt",
    ended_at as "endedAt"
  from job_changes`;

export type JobChanges = ReturnType<typeof createJobChanges>;

/**
 * Requests for bulk changes of jobs, which API processes apply in parts.
 * @param slot slot of this process's totals, in which cancelled jobs are counted
 */
export function createJobChanges({ pool, slot }: { pool: Pool; slot: number }) {
  const notifier = jobNotifierOn(pool);
  const get = async (changeId: string): Promise<JobChange | undefined> => {
    const { rows } = await pool.query<ChangeRow>(`${select} where id = $1`, [changeId]);
    return rows[0] && changeOf(rows[0]);
  };

  return {
    get,
    /** Creates a change, or returns the existing change with this id. */
    create: async ({ changeId, clientId, verb, filter: wanted, dueAt }: NewJobChange): Promise<JobChange> => {
      await pool.query(insert.with({ changeId, clientId, verb, filter: JSON.stringify(wanted), dueAt }));
      const made = await get(changeId);
      if (!made) throw new Error('a change of jobs disappeared right after its creation');
      return made;
    },
    nextRunning: async (): Promise<JobChange | undefined> => {
      const { rows } = await pool.query<ChangeRow>(`${select} where state = 'running' order by id limit 1`);
      return rows[0] && changeOf(rows[0]);
    },
    /**
     * Changes these jobs and moves the position, in one transaction. Has no effect if the position has changed, so that
     * only one of several concurrent processes succeeds.
     * @param next position after these jobs; null completes the change
     */
    apply: async (
      { changeId, clientId, verb, dueAt, place }: JobChange,
      jobIds: readonly string[],
      next: string | null,
    ): Promise<void> => {
      const due = { dueAt: dueAt?.toISOString() ?? null, delayMs: 0 };
      const statement = (named: NamedJobs) =>
        verb === 'cancel' ? cancelJobs.with({ ...named, slot }) : moveJobs.with({ ...named, ...due });
      const woken = await retryingDeadlocks(() =>
        inTransaction(pool, async (client): Promise<WokenRow[]> => {
          const { rowCount } = await client.query(takePlace, [changeId, place, next]);
          if (rowCount === 0 || jobIds.length === 0) return [];
          const changed = await changeLocked(client, { jobIds, clientId }, statement);
          const changes = changed.answers.filter(({ kind }) => kind === 'changed').length;
          await client.query(count, [changeId, jobIds.length, changes]);
          return changed.woken;
        }),
      );
      await advanceCommitted({ pool, slot }, woken);
      if (verb !== 'cancel') notifier.committed(0);
    },
  };
}

type ChangeRow = Omit<JobChange, 'filter'> & { filter: unknown };

function changeOf(row: ChangeRow): JobChange {
  return { ...row, filter: filter.parse(row.filter) };
}

interface NewChange {
  changeId: string;
  clientId: string;
  verb: string;
  filter: string;
  dueAt: Date | null;
}

const insert = statementOf<NewChange>(
  'insert-job-change',
  ($) => `
  insert into job_changes (id, client, verb, filter, due_at)
  values (${$('changeId')}, ${$('clientId')}, ${$('verb')}, ${$('filter')}, ${$('dueAt')}) on conflict do nothing`,
);

const takePlace = `
  update job_changes set cursor = $3, state = case when $3::text is null then 'done' else state end,
    ended_at = case when $3::text is null then now() end
  where id = $1 and state = 'running' and cursor is not distinct from $2`;

const count = `
  update job_changes set examined = examined + $2, changed = changed + $3, too_late = too_late + $2 - $3
  where id = $1`;
