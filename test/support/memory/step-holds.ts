import { tryHeldEveryMs } from '../../../shared/domain/step/holds.ts';
import type { StepHolds } from '../../../shared/ports/step-holds.ts';
import { atOnce } from './at-once.ts';
import { stepKey, type MemoryDatabase } from './memory-database.ts';

export function createMemoryStepHolds({ database }: { database: MemoryDatabase }): StepHolds {
  const { holds, agenda, steps, clock } = database;

  return {
    hold: (held) =>
      atOnce(() => {
        for (const { feedId, step, cause, endsInMs } of held) {
          const before = holds.get(`${feedId}/${step}`) ?? { feedId, step, sinceMs: clock.nowMs(), batches: 0 };
          const untilMs = endsInMs === undefined ? null : clock.nowMs() + endsInMs;
          const stays = 'nextTryAtMs' in before && before.untilMs === null && untilMs === null;
          const nextTryAtMs = stays ? before.nextTryAtMs : clock.nowMs() + (endsInMs ?? tryHeldEveryMs);
          holds.set(`${feedId}/${step}`, { ...before, cause, batches: before.batches + 1, nextTryAtMs, untilMs });
        }
      }),
    mayTry: ({ feedId, step }, everyMs) =>
      atOnce(() => {
        const row = holds.get(`${feedId}/${step}`);
        if (!row || row.nextTryAtMs > clock.nowMs()) return false;
        row.nextTryAtMs = clock.nowMs() + everyMs;
        return true;
      }),
    lift: ({ feedId, step }) =>
      atOnce(() => {
        if (!holds.delete(`${feedId}/${step}`)) return;
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
