import type { MatchedResults } from '../claims/flush-matching.ts';
import type { StepTraces } from '../report/step-traces.ts';
import type { ClaimedWork, OpenMessage } from '../step/work.ts';
import type { HandOn } from './hand-on.ts';
import type { NextStepPublisher } from './next-step-publisher.ts';

export interface SurvivorsDeps {
  handOn: HandOn;
  nextSteps: NextStepPublisher;
  /** Called when a step no longer needs the message that contained it. */
  onHandled: (origin: OpenMessage | null) => void;
  traces: StepTraces | undefined;
}

/**
 * Stage W6 of the worker (docs/execution-path.md): forwards survivors (the users who have succeeded in a step) to the
 * next step.
 */
export interface Survivors {
  /**
   * Publishes next steps to their topics. Returns the next steps that this worker processes itself.
   * @param claimedAtMs monotonic time at which the flush was requested
   */
  forward(results: Pick<MatchedResults, 'recorded' | 'handedOn'>, claimedAtMs: number): ClaimedWork;
  /** Stops retrying publications. Resolves when none is in progress. */
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
