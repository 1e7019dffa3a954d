import type { FinishedStep, Work } from '../step/work.ts';

/** Outcomes of steps since the worker's last turn: results to record, and steps that can be called now. */
export interface StepOutcomes {
  record(steps: readonly FinishedStep[]): void;
  callAgain(works: readonly Work[]): void;
  /** Number of results that wait to be recorded. */
  readonly waiting: number;
  readonly isEmpty: boolean;
  /** Takes the oldest results. */
  takeResults(max: number): FinishedStep[];
  /** Returns results that could not be recorded to the front of the queue. */
  requeue(results: readonly FinishedStep[]): void;
  takeCallable(): readonly Work[];
}

/** @param onAdded called when there is a new result to record or a step to call */
export function createStepOutcomes(onAdded: () => void): StepOutcomes {
  let finished: FinishedStep[] = [];
  let callable: Work[] = [];

  return {
    record: (steps) => {
      for (const step of steps) finished.push(step);
      if (steps.length > 0) onAdded();
    },
    callAgain: (works) => {
      callable.push(...works);
      if (works.length > 0) onAdded();
    },
    get waiting() {
      return finished.length;
    },
    get isEmpty() {
      return finished.length + callable.length === 0;
    },
    takeResults: (max) => {
      const taken = finished.slice(0, max);
      finished = finished.slice(max);
      return taken;
    },
    requeue: (results) => {
      finished = [...results, ...finished];
    },
    takeCallable: () => {
      if (callable.length === 0) return none;
      const taken = callable;
      callable = [];
      return taken;
    },
  };
}

const none: readonly Work[] = [];
