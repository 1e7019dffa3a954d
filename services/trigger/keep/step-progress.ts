import type { TopicNames } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import { readyBySteps } from '../admit/chain-load.ts';
import type { RunTally } from './run-store.port.ts';

/** A step of a feed, with what is ready in it: on its topic, or claimed. */
export interface OpenStep {
  runId: string;
  feedId: string;
  country: string;
  step: number;
  topic: string;
  ready: number;
  waiting: number;
  /** For how long nothing has changed in it. */
  stillForMs: number;
}

/** Notices which steps stand still, from look to look. */
export interface StepProgress {
  /** The steps in which something is ready or waits. What is not among these tallies any more is forgotten. */
  look(tallies: readonly RunTally[]): OpenStep[];
}

export function createStepProgress({ topics, clock }: { topics: TopicNames; clock: Clock }): StepProgress {
  let before = new Map<string, { figures: string; sinceMs: number }>();

  return {
    look: (tallies) => {
      const nowMs = clock.monotonicMs();
      const seen: typeof before = new Map();
      const open = tallies.flatMap(({ runId, chain, feeds }) =>
        feeds.flatMap(({ feedId, country, fedBatches, fromStep, flow }) => {
          const ready = readyBySteps({ fedBatches, fromStep, steps: flow });
          return chain.flatMap(({ action }, index): OpenStep[] => {
            const counts = flow[index];
            const waiting = Math.max(0, counts?.waiting ?? 0);
            const readyHere = ready[index] ?? 0;
            if (readyHere + waiting === 0) return [];
            const key = `${feedId}/${index + 1}`;
            const figures = [readyHere, waiting, counts?.done, counts?.born].join('/');
            const last = before.get(key);
            const sinceMs = last?.figures === figures ? last.sinceMs : nowMs;
            seen.set(key, { figures, sinceMs });
            const topic = topics.shard({ actionType: action, country });
            const place = { runId, feedId, country, step: index + 1, topic };
            return [{ ...place, ready: readyHere, waiting, stillForMs: nowMs - sinceMs }];
          });
        }),
      );
      before = seen;
      return open;
    },
  };
}
