import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { readyBySteps } from './chain-load.ts';
import type { RunTally } from '../ports/run-store.ts';

/** A step of a feed with ready batches: those on the step's topic, and those that a worker has claimed. */
export interface OpenStep {
  runId: string;
  feedId: string;
  country: string;
  step: number;
  topic: string;
  ready: number;
  waiting: number;
  stillForMs: number;
}

/** Detects steps without progress, by comparing successive scans. */
export interface StepProgress {
  update(tallies: readonly RunTally[]): OpenStep[];
  forget(feedIds: readonly string[]): void;
}

export function createStepProgress({ topics, clock }: { topics: TopicNames; clock: Clock }): StepProgress {
  const before = new Map<string, Map<number, { figures: string; sinceMs: number }>>();

  return {
    update: (tallies) => {
      const nowMs = clock.monotonicMs();
      return tallies.flatMap(({ runId, chain, feeds }) =>
        feeds.flatMap(({ feedId, country, fedBatches, fromStep, flow }) => {
          const ready = readyBySteps({ fedBatches, fromStep, steps: flow });
          const last = before.get(feedId);
          const seen: NonNullable<typeof last> = new Map();
          before.set(feedId, seen);
          return chain.flatMap(({ action }, index): OpenStep[] => {
            const counts = flow[index];
            const waiting = Math.max(0, counts?.waiting ?? 0);
            const readyHere = ready[index] ?? 0;
            if (readyHere + waiting === 0) return [];
            const figures = [readyHere, waiting, counts?.done, counts?.created].join('/');
            const lastHere = last?.get(index + 1);
            const sinceMs = lastHere?.figures === figures ? lastHere.sinceMs : nowMs;
            seen.set(index + 1, { figures, sinceMs });
            const topic = topics.shard({ actionType: action, country });
            const place = { runId, feedId, country, step: index + 1, topic };
            return [{ ...place, ready: readyHere, waiting, stillForMs: nowMs - sinceMs }];
          });
        }),
      );
    },
    forget: (feedIds) => {
      for (const feedId of feedIds) before.delete(feedId);
    },
  };
}
