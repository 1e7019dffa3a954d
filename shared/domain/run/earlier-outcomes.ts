import type { OwnOutcome, StepLine } from '../step/outcomes.ts';

/** How an earlier run can have ended for a user, as audiences ask for it. */
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

/** Rows of fed batches and of all that were split from them, of a run that has ended. */
export interface EarlierRows {
  batches: readonly { batchNo: number; parent: number | null; fromStep: number; users: readonly string[] }[];
  /** Steps that are done: how they ended for users without a row of their own. */
  rests: readonly { batchNo: number; step: number; rest: 'succeeded' | 'expired' | 'cancelled' }[];
  /** `succeeded`: was unknown and was settled so after the run had ended; the next step was not called for the user. */
  failures: readonly { step: number; user: string; outcome: OwnOutcome | 'succeeded' }[];
}

/**
 * How the chain ended for each user of the fed batches: as it did in the first step that did not succeed. With a step,
 * how that one did: users that came to an end before it were `skipped` there, or `cancelled` as before.
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

/** A user goes on in the batch that was split from the last one; where none was, that one's step says how it ended. */
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

/** Where a user of some batches is in a step, and what its rows say. */
export function createFollower({ batches, rests, failures }: EarlierRows) {
  const children = Map.groupBy(batches, ({ parent }) => parent);
  const members = new Map(batches.map(({ batchNo, users }) => [batchNo, new Set(users)]));
  const restOf = new Map(rests.map(({ batchNo, step, rest }) => [`${batchNo}/${step}`, rest]));
  const failureOf = new Map(failures.map(({ step, user, outcome }) => [`${step}/${user}`, outcome]));

  function ownerIn(step: number, batch: Batch, user: string): Batch {
    const child = children
      .get(batch.batchNo)
      ?.find(({ fromStep, batchNo }) => fromStep === step && members.get(batchNo)?.has(user));
    return child ? ownerIn(step, child, user) : batch;
  }

  return {
    /** The batch that it is in by the end of the step: the one that it entered it in, or one split from that. */
    ownerIn,
    /** Its own outcome, where it has a row. */
    ownIn: (step: number, user: string) => failureOf.get(`${step}/${user}`),
    /** How the step ended for all of the batch without a row of their own; undefined: it has not. */
    restIn: (step: number, { batchNo }: Batch) => restOf.get(`${batchNo}/${step}`),
  };
}

/** How many users the lines of a report give for these outcomes. @param outcomes everybody where absent */
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
    // What repeats itself, or is reached by no user before the end, stands in the last line; no user's whole chain is
    // skipped.
    if (outcome === 'skipped') return 0;
    if (outcome === 'succeeded' || outcome === 'cancelled') return last[outcome];
    return lines.reduce((sum, each) => sum + each[outcome], 0);
  };
  return outcomes.reduce((sum, outcome) => sum + usersOf(outcome), 0);
}
