import type { OwnOutcome, StepLine } from '../step/outcomes.ts';

export const earlierOutcomes = [
  'succeeded',
  'failed',
  'skipped',
  'suppressed',
  'expired',
  'cancelled',
  'unknown',
] as const;

export type EarlierOutcome = (typeof earlierOutcomes)[number];

/** Rows of fed batches and of all batches split from them, of a run that has ended. */
export interface EarlierRows {
  batches: readonly { batchNo: number; parent: number | null; fromStep: number; users: readonly string[] }[];
  /** Finished steps, with the outcome of users without a row of their own. */
  rests: readonly { batchNo: number; step: number; rest: 'succeeded' | 'expired' | 'cancelled' }[];
  /**
   * Outcomes of single users. `succeeded` means that the outcome was unknown, and a settlement made it `succeeded`
   * after the run had ended. The next step was not called for such a user.
   */
  failures: readonly { step: number; user: string; outcome: OwnOutcome | 'succeeded' }[];
}

/**
 * Returns the outcome of the chain for each user of the fed batches: the outcome of the first step that did not
 * succeed. With `step`, returns the outcome of that step: users whose chain ended earlier are `skipped` there, or
 * `cancelled` if they were cancelled earlier.
 *
 * @param steps length of the chain
 */
export function outcomesOfUsers(rows: EarlierRows, steps: number, step?: number): Map<string, EarlierOutcome> {
  const endOf = createEnds(rows, steps);
  const found = new Map<string, EarlierOutcome>();
  for (const batch of rows.batches) {
    if (batch.parent !== null) continue;
    for (const user of batch.users) found.set(user, seenFrom(endOf(batch, user), step));
  }
  return found;
}

type Batch = EarlierRows['batches'][number];

interface End {
  step: number;
  outcome: EarlierOutcome;
}

function seenFrom(end: End, step: number | undefined): EarlierOutcome {
  if (step === undefined || end.step === step) return end.outcome;
  if (end.step > step) return 'succeeded';
  return end.outcome === 'cancelled' ? 'cancelled' : 'skipped';
}

/**
 * Returns a function that follows a user through the batches. A user continues in the child batch that contains the
 * user; without one, the step of the current batch has the outcome.
 */
function createEnds(rows: EarlierRows, steps: number): (fed: Batch, user: string) => End {
  const { ownerIn, ownIn, restIn } = createFollower(rows);

  return (fed, user) => {
    let owner = fed;
    for (let step = 1; step <= steps; step++) {
      owner = ownerIn(step, owner, user);
      const own = ownIn(step, user);
      if (own === 'succeeded' && step < steps) return { step: step + 1, outcome: 'skipped' };
      const outcome = own ?? restIn(step, owner) ?? 'skipped';
      if (outcome !== 'succeeded') return { step, outcome };
    }
    return { step: steps, outcome: 'succeeded' };
  };
}

export function createFollower({ batches, rests, failures }: EarlierRows) {
  const children = Map.groupBy(batches, ({ parent }) => parent);
  const split = batches.filter(({ parent }) => parent !== null);
  const members = new Map(split.map(({ batchNo, users }) => [batchNo, new Set(users)]));
  const restOf = new Map(rests.map(({ batchNo, step, rest }) => [`${batchNo}/${step}`, rest]));
  const failureOf = new Map(failures.map(({ step, user, outcome }) => [`${step}/${user}`, outcome]));

  function ownerIn(step: number, batch: Batch, user: string): Batch {
    const child = children
      .get(batch.batchNo)
      ?.find(({ fromStep, batchNo }) => fromStep === step && members.get(batchNo)?.has(user));
    return child ? ownerIn(step, child, user) : batch;
  }

  return {
    /** Returns the user's batch at the end of the step: the batch at its beginning, or one split from it. */
    ownerIn,
    ownIn: (step: number, user: string) => failureOf.get(`${step}/${user}`),
    /** Returns the outcome of the users in the batch without a row of their own; undefined: the step has not ended. */
    restIn: (step: number, { batchNo }: Batch) => restOf.get(`${batchNo}/${step}`),
  };
}

/**
 * Returns the number of users with these outcomes in the lines of a report.
 * @param outcomes undefined means users of every outcome
 */
export function countOutcomes(
  lines: readonly StepLine[],
  outcomes: readonly EarlierOutcome[] | undefined,
  step?: number,
): number {
  const last = lines.at(-1);
  if (!last) return 0;
  if (!outcomes) return last.audience - last.heldOut;
  const line = step === undefined ? undefined : lines[step - 1];
  const usersOf = (outcome: EarlierOutcome): number => {
    if (step !== undefined) return line?.[outcome] ?? 0;
    // The last line includes `cancelled`, which repeats in later lines, and `succeeded`, which counts only at the end.
    // No user's whole chain is `skipped`.
    if (outcome === 'skipped') return 0;
    if (outcome === 'succeeded' || outcome === 'cancelled') return last[outcome];
    return lines.reduce((sum, each) => sum + each[outcome], 0);
  };
  return outcomes.reduce((sum, outcome) => sum + usersOf(outcome), 0);
}
