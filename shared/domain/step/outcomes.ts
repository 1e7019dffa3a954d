/**
 * How a targeted (user, step) can end. Exactly one of these, once (promise P1).
 *
 * - `succeeded`: the endpoint said so (for messages: accepted).
 * - `failed`: the endpoint said so, with a reason; or Muster did, with a reason that starts with `muster.`.
 * - `skipped`: an earlier step of the chain did not succeed for this user.
 * - `suppressed`: withheld by a rule (suppression list, check, quiet hours), with a reason; not called.
 * - `heldOut`: belongs to the audience and gets nothing, by design of the campaign.
 * - `expired`: the run's deadline passed before the step could be done.
 * - `cancelled`: a person cancelled the run first.
 * - `unknown`: the endpoint may or may not have applied it; only a person or a settlement can tell.
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

/** Those that a user of a recorded batch can have apart from the others: each has a row, with its reason. */
export const ownOutcomes = ['failed', 'suppressed', 'unknown'] as const;

export type OwnOutcome = (typeof ownOutcomes)[number];

/** What the ledger counts for one step, in users. `batches` counts fed batches that were recorded, for rates. */
export interface StepTotals {
  step: number;
  batches: number;
  succeeded: number;
  failed: number;
  expired: number;
  cancelled: number;
  unknown: number;
  /** Absent: none. */
  suppressed?: number;
  /**
   * Of the succeeded and of the failed: those that were unknown until they were settled. Absent: none. They did not go
   * on.
   */
  settledSucceeded?: number;
  settledFailed?: number;
}

/**
 * How batches move through one step. Ready are those that wait for a worker alone: entered + born − done − waiting,
 * where the fed batches enter step 1 and those that survived a step enter the next one.
 */
export interface StepFlow {
  /** Step rows recorded, child batches included. */
  done: number;
  /** Of those, how many go on: at least one user succeeded. */
  survived: number;
  /** Child batches born into this step. */
  born: number;
  /** Put back, or waiting from birth, and not claimed since. */
  waiting: number;
  /** Users that failed by a refusal of their whole batch. */
  refused: number;
}

/** One line of a report: a step and how many of its audience ended how. All counts in users. */
export interface StepLine extends Record<Outcome, number> {
  step: number;
  audience: number;
  /** Neither ended nor skipped yet. */
  pending: number;
}

/**
 * The report's lines from what was recorded: a user that did not succeed in step k is `skipped` in step k+1 (`heldOut`
 * and `cancelled` repeat themselves instead), one that did and has no outcome there yet is `pending`.
 *
 * @param audience users of the run (or of one country of it), counted so far
 * @param totals one entry per step that recorded anything; steps may be missing
 * @param steps length of the chain
 * @param heldOut users of the audience that get nothing
 * @param fromStep the step that all of these users begin with: in those before they are in no audience
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
    // Settled after the run had ended: the next step was not called for them.
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

/** Users of the line that have an outcome. */
export function endedUsers(line: Record<Outcome, number>): number {
  return outcomes.reduce((sum, outcome) => sum + line[outcome], 0);
}

/** Unknown outcomes that were settled, over all steps. */
export function settledUsers(totals: readonly StepTotals[]): number {
  return totals.reduce((sum, { settledSucceeded = 0, settledFailed = 0 }) => sum + settledSucceeded + settledFailed, 0);
}

/** A line balances when its outcomes and what is pending make up its audience and nothing was counted twice. */
export function isBalanced(line: StepLine): boolean {
  return line.pending >= 0 && endedUsers(line) + line.pending === line.audience;
}

/** Nothing pending and nothing unknown: the line may be one of a `completed` run. */
export function isSettled(line: StepLine): boolean {
  return isBalanced(line) && line.pending === 0 && line.unknown === 0;
}

/** Adds lines of the same step (of several countries) up. */
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
