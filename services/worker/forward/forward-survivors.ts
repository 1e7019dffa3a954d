import type { MatchedResults } from '../claims/flush-matching.ts';
import type { StepTraces } from '../report/step-traces.ts';
import type { ClaimedWork, OpenMessage } from '../step/work.ts';
import type { HandOn } from './hand-on.ts';
import type { NextStepPublisher } from './next-step-publisher.ts';

export interface SurvivorsDeps {
  handOn: HandOn;
  nextSteps: NextStepPublisher;
  /** Called when a step no longer needs its message. */
  onHandled: (origin: OpenMessage | null) => void;
  traces: StepTraces | undefined;
}

/** Stage W6 of the worker (docs/architecture.md): forwards the users who have survived a step to the next one. */
export interface Survivors {
  /**
   * Publishes next steps to their topics. Returns the next steps with which this worker continues itself.
   * @param claimedAtMs monotonic time at which the flush was requested
   */
  forward(results: Pick<MatchedResults, 'recorded' | 'handedOn'>, claimedAtMs: number): ClaimedWork;
  /** Stops retrying; resolves when no publication is in progress. */
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
