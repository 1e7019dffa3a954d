import type { MatchedResults } from '../claims/flush-matching.ts';
import type { StepTraces } from '../report/step-traces.ts';
import type { ClaimedWork, OpenMessage } from '../step/work.ts';
import type { HandOn } from './hand-on.ts';
import type { NextStepPublisher } from './next-step-publisher.ts';

export interface SurvivorsDeps {
  handOn: HandOn;
  nextSteps: NextStepPublisher;
  /** A step needs its message no longer. */
  onHandled: (origin: OpenMessage | null) => void;
  /** Undefined where tracing is off. */
  traces: StepTraces | undefined;
}

/** W6: users who have survived a step go on to the next one. */
export interface Survivors {
  /**
   * Publishes next steps by their topics, and returns those that this worker goes on with.
   * @param claimedAtMs when the flush was asked for, by the clock's `monotonicMs`
   */
  forward(results: Pick<MatchedResults, 'recorded' | 'handedOn'>, claimedAtMs: number): ClaimedWork;
  /** Resolves when no publication is under way; tries none again. */
  finish(): Promise<void>;
}

export function createSurvivors({ handOn, nextSteps, onHandled, traces }: SurvivorsDeps): Survivors {
  return {
    forward: ({ recorded, handedOn }, claimedAtMs) => {
      const here = recorded.filter(({ result }) => handedOn.has(result));
      nextSteps.publish(handedOn.size === 0 ? recorded : recorded.filter(({ result }) => !handedOn.has(result)));
      const next = handOn.worksOf(here, claimedAtMs);
      traces?.claimed(next.works, claimedAtMs);
      for (const { work } of here) onHandled(work.origin);
      return next;
    },
    finish: () => nextSteps.finish(),
  };
}
