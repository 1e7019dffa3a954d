import { liftedRetryMs } from '../../../shared/domain/step/holds.ts';
import { agendaGraceMs } from '../../../shared/domain/step/timed-steps.ts';
import type { StepWaiting } from '../../../shared/ports/step-ledger.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import { holdsInForce } from './step-holds.ts';
import type { StepRow } from './step-tables.ts';
import { addToTotals } from './totals.ts';

/** A cause counts as gone this long after its last batch; the next batch begins a new cause. */
const causeLastsMs = 120_000;

/** Releases the row: it waits, and gets an entry on the agenda. */
export function releaseStep(database: MemoryDatabase, row: StepRow, result: StepWaiting, timedWithinMs?: number): void {
  const { feedId, batchNo, step, open, answered, cause } = result;
  const isLifted = result.whileHeld === true && !isQuiet(database, result);
  const waits = isLifted ? { ...result, delayMs: liftedRetryMs } : result;
  const dueAtMs = database.clock.nowMs() + waits.delayMs;
  const offerAtMs = dueAtMs + agendaGraceMs(waits, timedWithinMs);
  row.state = 'waiting';
  row.owner = null;
  row.begun = false;
  row.open = open;
  row.attempts += answered ? 1 : 0;
  row.nextAttemptAtMs = dueAtMs;
  row.cause = cause;
  database.agenda.set(stepKey(feedId, batchNo, step), { feedId, batchNo, step, offerAtMs, offers: 0 });
  addToTotals(database, feedId, step, { waiting: 1 });
  if (cause !== null) noteCause(database, feedId, step, cause);
}

function isQuiet(database: MemoryDatabase, result: StepWaiting): boolean {
  return holdsInForce(database, result).some(({ kind }) => kind === 'quiet-hours');
}

function noteCause({ stepCauses, clock }: MemoryDatabase, feedId: string, step: number, cause: string): void {
  const key = `${feedId}/${step}/${cause}`;
  const before = stepCauses.get(key);
  const nowMs = clock.nowMs();
  const lasts = before !== undefined && before.lastAtMs >= nowMs - causeLastsMs;
  const since = lasts ? { sinceMs: before.sinceMs, batches: before.batches + 1 } : { sinceMs: nowMs, batches: 1 };
  stepCauses.set(key, { feedId, step, cause, lastAtMs: nowMs, ...since });
}
