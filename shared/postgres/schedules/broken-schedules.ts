import { DatabaseError, type PoolClient } from 'pg';
import type { BrokenSchedule } from '../../contracts/schedules/kept-schedules.ts';

/** Processes each subject separately, so that a failing subject is marked as broken and delays no other subject. */
export function eachByItself<Subject, Result>(
  subjects: readonly Subject[],
  idOf: (subject: Subject) => string,
  work: (subject: Subject) => Result,
): { done: Result[]; broken: BrokenSchedule[] } {
  const done: Result[] = [];
  const broken: BrokenSchedule[] = [];
  for (const subject of subjects) {
    try {
      done.push(work(subject));
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error);
      broken.push({ scheduleId: idOf(subject), cause: cause.slice(0, maxCauseLength) });
    }
  }
  return { done, broken };
}

const maxCauseLength = 500;

/**
 * Runs `work` on all rows at once. If the database refuses a value, runs it on each row separately, and marks the
 * refused rows as broken. The transaction holds the locks of the rows.
 */
export async function unlessRefused<Row extends { id: string }, Result>(
  client: PoolClient,
  rows: readonly Row[],
  work: (rows: readonly Row[]) => Promise<Result>,
): Promise<{ results: Result[]; broken: BrokenSchedule[] }> {
  await client.query('savepoint before_schedules');
  try {
    return { results: [await work(rows)], broken: [] };
  } catch (error) {
    if (!isRefusedValue(error)) throw error;
    await client.query('rollback to savepoint before_schedules');
    const [only] = rows;
    if (rows.length === 1 && only) {
      const broken = [{ scheduleId: only.id, cause: error.message.slice(0, maxCauseLength) }];
      await breakSchedules(client, broken);
      return { results: [], broken };
    }
  }
  const results: Result[] = [];
  const broken: BrokenSchedule[] = [];
  for (const row of rows) {
    const alone = await unlessRefused(client, [row], work);
    results.push(...alone.results);
    broken.push(...alone.broken);
  }
  return { results, broken };
}

/** SQLSTATE classes of invalid or out-of-range values, broken constraints, and exceeded limits. */
const refusals = ['22', '23', '54'];

function isRefusedValue(error: unknown): error is DatabaseError {
  return error instanceof DatabaseError && refusals.includes((error.code ?? '').slice(0, 2));
}

/** Marks schedules as broken: they are not read until they can be parsed or are changed. Their rows are locked. */
export async function breakSchedules(client: PoolClient, broken: readonly BrokenSchedule[]): Promise<void> {
  if (broken.length === 0) return;
  const rows = broken.map(({ scheduleId, cause }) => ({ id: scheduleId, cause }));
  await client.query(markBroken, [JSON.stringify(rows)]);
}

/** Paused and disabled schedules keep their state; their error is found when they are enabled. */
const markBroken = `
  update schedules s set next_at = null, next_check_at = null, region_next_checks = '{}',
    state = case when s.state = 'active' then 'broken' else s.state end,
    state_reason = case when s.state = 'active' then k.cause else s.state_reason end,
    state_since = case when s.state = 'active' then now() else s.state_since end
  from jsonb_to_recordset($1::jsonb) as k (id uuid, cause text) where s.id = k.id`;
