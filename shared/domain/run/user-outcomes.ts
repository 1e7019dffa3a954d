import type { Outcome } from '../step/outcomes.ts';
import type { EarlierRows } from './earlier-outcomes.ts';
import { createFollower } from './earlier-outcomes.ts';

export type UserOutcome = Exclude<Outcome, 'heldOut'> | 'pending';

/** One outcome for each step of the chain; null for steps before the user's first step. */
export type ChainOutcomes = readonly (UserOutcome | null)[];

/** Outcomes so far of each step of a chain for one user of a fed batch. */
export interface UserSteps {
  user: string;
  batchNo: number;
  /** Users of one batch with equal outcomes have the same object. */
  steps: ChainOutcomes;
}

/**
 * Returns the outcomes in the order of the batches and of the users in each. Most users of a batch have no row of their
 * own and never left it, so their outcomes are computed once.
 * @param chainLength steps of the chain
 */
export function stepsOfUsers(rows: EarlierRows, chainLength: number): UserSteps[] {
  const stepsOf = createSteps(rows, chainLength);
  const withRows = new Set(rows.failures.map(({ user }) => user));
  const parents = new Set(rows.batches.map(({ parent }) => parent));
  const fed = rows.batches.filter(({ parent }) => parent === null).toSorted((a, b) => a.batchNo - b.batchNo);
  return fed.flatMap((batch) => {
    const { batchNo, users } = batch;
    const isWhole = !parents.has(batchNo);
    const shared = new Map<string, ChainOutcomes>();
    const sharing = (steps: ChainOutcomes) => {
      const key = steps.join();
      const same = shared.get(key) ?? steps;
      shared.set(key, same);
      return same;
    };
    let usual: ChainOutcomes | undefined;
    return users.map((user) => {
      if (!isWhole || withRows.has(user)) return { user, batchNo, steps: sharing(stepsOf(batch, user)) };
      usual ??= sharing(stepsOf(batch, user));
      return { user, batchNo, steps: usual };
    });
  });
}

/** Returns a function that follows a user of a fed batch through the steps of the chain. */
function createSteps(rows: EarlierRows, chainLength: number) {
  const follower = createFollower(rows);
  return (batch: EarlierRows['batches'][number], user: string): ChainOutcomes => {
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
    return steps;
  };
}

/** Returns the outcome of the chain and the step in which it ended; with `step`, the outcome of that step. */
export function endOf(steps: ChainOutcomes, step?: number): { step: number; outcome: UserOutcome } {
  const last = { step: steps.length, outcome: steps.at(-1) ?? 'pending' };
  if (step !== undefined) return { step, outcome: steps[step - 1] ?? 'skipped' };
  const first = steps.findIndex((outcome) => outcome !== null && outcome !== 'succeeded');
  if (first < 0) return last;
  // The chain of a user whose outcome was settled as succeeded ends in the following step.
  return { step: first + 1, outcome: steps[first] ?? last.outcome };
}
