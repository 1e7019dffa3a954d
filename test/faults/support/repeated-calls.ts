import type { Ledger } from '../../../services/sandbox/ledger/ledger.ts';
import { batchOfKey } from '../../../shared/domain/step/batch.ts';
import type { Observer } from './observer.ts';

/** Longest list in a message. */
const most = 4;

/**
 * Returns lines about the keys of a run that were applied more than once: the times and numbers of their calls, the
 * stored step and its attempts. A failed run disappears with its installation, so the lines are the only trace.
 */
export async function describeRepeats(ledger: Ledger, runId: string, database: Observer): Promise<string[]> {
  const keys = ledger.steps
    .filter(({ run }) => run === runId)
    .flatMap(({ keys: calls }) => [...calls])
    .filter(([, { at }]) => at.length > 1);
  return await Promise.all(
    keys.slice(0, most).map(async ([key, { at, attempts }]) => {
      const calls = at.map((time, index) => `${attempts[index] ?? ''} at ${time.slice(11)}`).join(', ');
      return `attempts ${calls} of ${key}: ${await storedOf(key, database)}`;
    }),
  );
}

/** The row of a step, the attempts that were noted, and when its calls were marked as begun. */
async function storedOf(key: string, database: Observer): Promise<string> {
  const { feedId, batchNo, step } = batchOfKey(key) ?? {};
  const isStep = 'feed = $1 and batch_no = $2 and step = $3';
  try {
    const [row] = await database.rows(
      `select epoch, lapses, open, cause, owner, lease_until::time(3),
        (select json_agg(json_build_array(epoch, reading, cause, at::time(3)) order by epoch)
          from step_attempts where ${isStep}) as attempts
      from batch_steps where ${isStep}`,
      [feedId, batchNo, step],
    );
    return JSON.stringify(row);
  } catch (error) {
    return String(error);
  }
}
