import { tryHeldEveryMs, type HoldKind } from '../../../shared/domain/step/holds.ts';
import type { FeedStep, StepHolds } from '../../../shared/ports/step-holds.ts';
import { atOnce } from './at-once.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';
import type { HoldRow } from './step-tables.ts';

export function holdKey({ feedId, step }: FeedStep, kind: HoldKind): string {
  return `${feedId}/${step}/${kind}`;
}

/** Returns the active holds of the step: faults, and quiet hours that have not ended. */
export function holdsInForce({ holds, clock }: MemoryDatabase, ref: FeedStep): HoldRow[] {
  const rows = [holds.get(holdKey(ref, 'fault')), holds.get(holdKey(ref, 'quiet-hours'))];
  return rows.filter((row) => row !== undefined).filter((row) => (row.untilMs ?? Infinity) > clock.nowMs());
}

export function createMemoryStepHolds({ database }: { database: MemoryDatabase }): StepHolds {
  const { holds, agenda, steps, clock } = database;

  return {
    hold: (held) =>
      atOnce(() => {
        for (const hold of held) {
          const { feedId, step, kind, cause } = hold;
          const known = holds.get(holdKey(hold, kind));
          const before = (known?.untilMs ?? Infinity) > clock.nowMs() ? known : undefined;
          const untilMs = hold.kind === 'fault' ? null : clock.nowMs() + hold.endsInMs;
          const { sinceMs, batches } = before ?? { sinceMs: clock.nowMs(), batches: 0 };
          const nextTryAtMs = untilMs ?? before?.nextTryAtMs ?? clock.nowMs() + tryHeldEveryMs;
          const row = { feedId, step, kind, cause, sinceMs, batches: batches + 1, nextTryAtMs, untilMs };
          holds.set(holdKey(hold, kind), row);
        }
      }),
    mayTry: (ref, everyMs) =>
      atOnce(() => {
        const row = holds.get(holdKey(ref, 'fault'));
        if (!row || row.nextTryAtMs > clock.nowMs()) return false;
        row.nextTryAtMs = clock.nowMs() + everyMs;
        return true;
      }),
    lift: (ref, kind) =>
      atOnce(() => {
        const { feedId, step } = ref;
        if (!holds.delete(holdKey(ref, kind))) return;
        for (const row of agenda.values()) {
          if (row.feedId !== feedId || row.step !== step) continue;
          row.offerAtMs = clock.nowMs();
          row.offers = 0;
          const waiting = steps.get(stepKey(feedId, row.batchNo, step));
          if (waiting?.state === 'waiting' && (waiting.nextAttemptAtMs ?? 0) > clock.nowMs())
            waiting.nextAttemptAtMs = clock.nowMs();
        }
      }),
  };
}
