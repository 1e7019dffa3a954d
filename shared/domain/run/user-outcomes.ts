import type { Outcome } from '../step/outcomes.ts';
import type { EarlierRows } from './earlier-outcomes.ts';
import { createFollower } from './earlier-outcomes.ts';

export type UserOutcome = Exclude<Outcome, 'heldOut'> | 'pending';

/** Outcomes so far of each step of a chain for one user of a fed batch. */
export interface UserSteps {
  user: string;
  batchNo: number;
  /** One outcome for each step of the chain; null for steps before the user's first step. */
  steps: readonly (UserOutcome | null)[];
}

/**
 * Returns the outcomes in the order of the batches and of the users in each.
 * @param chainLength steps of the chain
 */
export function stepsOfUsers(rows: EarlierRows, chainLength: number): UserSteps[] {
  const follower = createFollower(rows);
  const fed = rows.batches.filter(({ parent }) => parent === null).toSorted((a, b) => a.batchNo - b.batchNo);
  return fed.flatMap((batch) =>
    batch.users.map((user) => {
      const steps: (UserOutcome | null)[] = [];
      let place = { batch, hasGoneOn: true };
      for (let step = 1; step <= chainLength; step++) {
        if (step < batch.fromStep) {
          steps.push(null);
          continue;
        }
        const before = steps.at(-1) ?? null;
        if (!place.hasGoneOn) {
          steps.push(before === 'pending' || before === 'cancelled' ? before : 'skipped');
          continue;
        }
        const owner = follower.ownerIn(step, place.batch, user);
        const own = follower.ownIn(step, user);
        const outcome = own ?? follower.restIn(step, owner) ?? 'pending';
        // A user whose outcome was settled as succeeded after the run did not continue.
        place = { batch: owner, hasGoneOn: outcome === 'succeeded' && own === undefined };
        steps.push(outcome);
      }
      return { user, batchNo: batch.batchNo, steps };
    }),
  );
}

/** Returns the outcome of the chain and the step in which it ended; with `step`, the outcome of that step. */
export function endOf(steps: readonly (UserOutcome | null)[], step?: number): { step: number; outcome: UserOutcome } {
  const last = { step: steps.length, outcome: steps.at(-1) ?? 'pending' };
  if (step !== undefined) return { step, outcome: steps[step - 1] ?? 'skipped' };
  const first = steps.findIndex((outcome) => outcome !== null && outcome !== 'succeeded');
  if (first < 0) return last;
  // The chain of a user whose outcome was settled as succeeded ends in the following step.
  return { step: first + 1, outcome: steps[first] ?? last.outcome };
}
