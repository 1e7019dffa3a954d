import { z } from 'zod';
import { usersOf, withoutUsers } from '../../../shared/domain/step/users-text.ts';
import { quotedUsers } from '../call-step.ts';
import type { BatchJob } from '../job-queue.ts';

/** One step of one batch, in the form that a job carries. `users` are ids separated by commas, as in `BatchJob`. */
export const stepJob = z.object({ batch: z.int(), step: z.int(), users: z.string(), count: z.int() });

export type StepJob = z.infer<typeof stepJob>;

/** Outcome of a step that was called, before it is stored. */
export interface StepOutcome {
  job: StepJob;
  /** Ids of the users that failed in this step. */
  failed: readonly string[];
}

const lastStep = 2;

export function firstStepOf({ batch, users, count }: BatchJob): StepJob {
  return { batch, step: 1, users, count };
}

/** Returns whether the batch has ended: after its last step, or when no user is left for the next one. */
export function endsBatch({ job: { step, count }, failed }: StepOutcome): boolean {
  return step === lastStep || failed.length === count;
}

/** Returns the next step for the users that succeeded; undefined if the batch has ended. */
export function nextStepOf(outcome: StepOutcome): StepJob | undefined {
  if (endsBatch(outcome)) return undefined;
  const {
    job: { batch, step, users, count },
    failed,
  } = outcome;
  return { batch, step: step + 1, users: withoutFailed(users, failed), count: count - failed.length };
}

export function nextStepsOf(outcomes: readonly StepOutcome[]): StepJob[] {
  return outcomes.map(nextStepOf).filter((next) => next !== undefined);
}

function withoutFailed(ids: string, failed: readonly string[]): string {
  if (failed.length === 0) return ids;
  return usersOf(withoutUsers(quotedUsers(ids), failed)).join(',');
}
