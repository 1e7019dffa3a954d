/**
 * Outcomes of a targeted (user, step). Each ends with exactly one of these, once (promise P1).
 *
 * - `succeeded`: the endpoint reported success (for messages: accepted).
 * - `failed`: the endpoint reported a failure, with a reason; or Muster did, with a reason that starts with `muster.`.
 * - `skipped`: an earlier step of the chain did not succeed for this user.
 * - `suppressed`: excluded by a rule (suppression list, check, quiet hours), with a reason; not called.
 * - `heldOut`: belongs to the audience and receives nothing, by design of the campaign.
 * - `expired`: the run's deadline passed before the step could be done.
 * - `cancelled`: a person cancelled the run first.
 * - `unknown`: the endpoint may or may not have applied the call; only a person or a settlement can decide.
 */
export const outcomes = [
  'succeeded',
  'failed',
  'skipped',
  'suppressed',
  'heldOut',
  'expired',
  'cancelled',
  'unknown',
] as const;

export type Outcome = (typeof outcomes)[number];

/** Outcomes of users that have a row of their own, with a reason. All other users of a batch share one outcome. */
export const ownOutcomes = ['failed', 'suppressed', 'unknown'] as const;

export type OwnOutcome = (typeof ownOutcomes)[number];

/** Counts of the ledger for one step, in users. `batches` counts fed batches that were recorded, for rates. */
export interface StepTotals {
  step: number;
  batches: number;
  succeeded: number;
  failed: number;
  expired: number;
  cancelled: number;
  unknown: number;
  /** Number of suppressed users; undefined means none. */
  suppressed?: number;
  /** Unknown outcomes that were settled; part of `succeeded` and `failed`. These users did not continue. */
  settledSucceeded?: number;
  settledFailed?: number;
}

/**
 * Flow of batches through one step. The number of batches that wait only for a worker is entered + created − done −
 * waiting: fed batches enter step 1, and batches that survived a step enter the next one.
 */
export interface StepFlow {
  /** Number of recorded step rows, child batches included. */
  done: number;
  /** Recorded step rows that continue: at least one user succeeded. */
  survived: number;
  created: number;
  /** Batches that wait for a retry, or have waited since their creation, and have not been claimed since. */
  waiting: number;
  /** Users that failed by a refusal of their whole batch. */
  refused: number;
}

/** A line of a report: a step and the outcomes of its audience. All counts are users. */
export interface StepLine extends Record<Outcome, number> {
  step: number;
  audience: number;
  pending: number;
}

/**
 * Returns the report's lines from the recorded counts. A user who did not succeed in step k is `skipped` in step k+1
 * (`heldOut` and `cancelled` repeat instead). A user who succeeded in step k and has no outcome in step k+1 yet is
 * `pending`.
 *
 * @param audience users of the run (or of one country of it), counted so far
 * @param totals one entry per step that recorded anything; steps may be missing
 * @param steps length of the chain
 * @param heldOut users of the audience that receive nothing
 * @param fromStep first step of all of these users: earlier steps do not count them in their audience
 */
export function stepLines(
  audience: number,
  totals: readonly StepTotals[],
  steps: number,
  heldOut = 0,
  fromStep = 1,
): StepLine[] {
  const lines: StepLine[] = [];
  for (let step = 1; step <= steps; step++) {
    const recorded = totals.find((t) => t.step === step);
    const before = lines.at(-1);
    // These users were settled after the run had ended: the next step was not called for them.
    const settledBefore = totals.find((t) => t.step === step - 1)?.settledSucceeded ?? 0;
    const line: StepLine = {
      step,
      audience: step < fromStep ? 0 : audience,
      succeeded: recorded?.succeeded ?? 0,
      failed: recorded?.failed ?? 0,
      skipped: before
        ? before.failed + before.skipped + before.suppressed + before.expired + before.unknown + settledBefore
        : 0,
      suppressed: recorded?.suppressed ?? 0,
      heldOut,
      expired: recorded?.expired ?? 0,
      cancelled: (recorded?.cancelled ?? 0) + (before?.cancelled ?? 0),
      unknown: recorded?.unknown ?? 0,
      pending: 0,
    };
    line.pending = line.audience - endedUsers(line);
    lines.push(line);
  }
  return lines;
}

export function endedUsers(line: Record<Outcome, number>): number {
  return outcomes.reduce((sum, outcome) => sum + line[outcome], 0);
}

export function settledUsers(totals: readonly StepTotals[]): number {
  return totals.reduce((sum, { settledSucceeded = 0, settledFailed = 0 }) => sum + settledSucceeded + settledFailed, 0);
}

/** Returns true if outcomes and pending users add up to the audience, and no user was counted twice. */
export function isBalanced(line: StepLine): boolean {
  return line.pending >= 0 && endedUsers(line) + line.pending === line.audience;
}

/** Returns true if no user is pending or unknown: a condition of a `completed` run. */
export function isSettled(line: StepLine): boolean {
  return isBalanced(line) && line.pending === 0 && line.unknown === 0;
}

/** Returns the sum of lines of the same step (of several countries). */
export function sumLines(lines: readonly StepLine[]): StepLine {
  const [first, ...rest] = lines;
  if (!first) throw new Error('cannot add up no lines at all');
  const sum = { ...first };
  for (const line of rest) {
    sum.audience += line.audience;
    sum.pending += line.pending;
    for (const outcome of outcomes) sum[outcome] += line[outcome];
  }
  return sum;
}
