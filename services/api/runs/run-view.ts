import type { RunFigures, RunStall, RunSummary } from '../../../shared/contracts/runs/runs.ts';
import type { RunVariant, StepLineShape } from '../../../shared/contracts/runs/step-lines.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { isBudgetCause } from '../../../shared/domain/run/budgets.ts';
import { isQuietCause } from '../../../shared/domain/run/quiet-hours.ts';
import { shortfallNote } from '../../../shared/domain/run/feed-notes.ts';
import { receiptLine, type ReceiptTotals } from '../../../shared/domain/step/receipts.ts';
import { isBalanced, settledUsers, stepLines, sumLines, type StepLine } from '../../../shared/domain/step/outcomes.ts';
import { modeOfStep } from '../../../shared/domain/run/run-kinds.ts';
import type { RunState } from '../../../shared/domain/run/run-states.ts';
import { runCostOf } from './run-cost.ts';
import { budgetView } from './budget-view.ts';
import type { RunHeader, RunSnapshot } from './run-reports.port.ts';

export function runSummaryView(run: RunHeader): RunSummary {
  return {
    runId: publicId('run', run.runId),
    kind: run.kind,
    canary: run.canary,
    variantChoice: variantChoiceView(run),
    parentRunId: run.parentRunId === null ? null : publicId('run', run.parentRunId),
    campaignId: publicId('campaign', run.campaignId),
    campaignName: run.campaignName,
    revision: run.revision,
    state: run.state,
    stateReason: run.stateReason,
    scheduledFor: run.scheduledFor.toISOString(),
    startedAt: run.startedAt?.toISOString() ?? null,
    endedAt: run.endedAt?.toISOString() ?? null,
    stateSince: run.stateSince.toISOString(),
    deadlineAt: run.deadlineAt.toISOString(),
    settings: run.settings,
  };
}

function variantChoiceView({ variants, variantChoice }: RunHeader): RunSummary['variantChoice'] {
  return variantChoice ? { options: (variants ?? []).map(({ name }) => name), ...variantChoice } : null;
}

/**
 * Returns the part that progress and report share: one line for each step, for each country, for each variant and in
 * total.
 */
export function runFiguresView(snapshot: RunSnapshot): RunFigures {
  const { steps, countries, cost, isBalanced: balanced } = feedFigures(snapshot, snapshot.countries);
  const settled = settledUsers(snapshot.countries.flatMap(({ totals }) => totals));
  return {
    ...runSummaryView(snapshot),
    asOf: snapshot.asOf.toISOString(),
    audience: {
      estimated: estimatedUsers(snapshot),
      counted: snapshot.countries.reduce((sum, feed) => sum + feed.fedUsers, 0),
      excluded: snapshot.countries.reduce((sum, feed) => sum + feed.excludedUsers, 0),
      ...(snapshot.kind === 'dry-run' && {
        shared: snapshot.countries.reduce((sum, { sharedUsers = 0 }) => sum + sharedUsers, 0),
      }),
      complete: snapshot.countries.length > 0 && snapshot.countries.every((feed) => feed.complete),
    },
    steps,
    countries,
    variants: variantsView(snapshot),
    undecidedUsers: undecidedUsers(snapshot),
    ...(settled > 0 && { settled }),
    balanced,
    ...(cost && { cost }),
    budgets: snapshot.budgets.map(budgetView),
    notes: snapshot.countries.flatMap((feed) => shortfallNote(feed) ?? []),
    stalled: isPaused(snapshot.state) ? (snapshot.stateReason ?? snapshot.state) : snapshot.stalled,
    stall: stallView(snapshot),
    waitingSince: waitingSince(snapshot)?.toISOString() ?? null,
  };
}

/** Returns the figures of some feeds of the run: lines by step and country, their sums and the cost. */
function feedFigures(snapshot: RunSnapshot, feeds: RunSnapshot['countries']) {
  const countries = [...Map.groupBy(feeds, ({ country }) => country)].map(([country, own]) => ({
    country,
    audience: own.reduce((sum, { fedUsers }) => sum + fedUsers, 0),
    excluded: own.reduce((sum, { excludedUsers }) => sum + excludedUsers, 0),
    lines: linesOf(own, snapshot.chain.length),
    receipts: own.flatMap((feed) => feed.receipts),
  }));
  // A run in state `preparing` has no countries yet, but its steps are shown.
  const emptyLines = stepLines(0, [], snapshot.chain.length);
  const sums = emptyLines.map((line, index) =>
    sumLines([line, ...countries.flatMap(({ lines }) => lines[index] ?? [])]),
  );
  const shaped = (lines: readonly StepLine[], receipts: readonly ReceiptTotals[]) =>
    lines.map((line) => stepLineView(line, snapshot, receipts));
  const countryLines = countries.map(({ lines, receipts, ...country }) => ({
    ...country,
    steps: shaped(lines, receipts),
  }));
  return {
    steps: shaped(
      sums,
      countries.flatMap(({ receipts }) => receipts),
    ),
    countries: countryLines,
    cost: runCostOf(snapshot, countryLines),
    isBalanced: countries.every(({ lines }) => lines.every(isBalanced)),
  };
}

/**
 * Returns the figures of the variants for the users who were divided among them at random. Users who got the chosen
 * variant after the canary are left out.
 */
export function triedVariantsView(snapshot: RunSnapshot): RunVariant[] {
  return variantsView({ ...snapshot, countries: snapshot.countries.filter(({ isRemaining }) => isRemaining !== true) });
}

/** Returns the figures of each variant. A test has only one variant, so others are not listed. */
function variantsView(snapshot: RunSnapshot): RunVariant[] {
  return (snapshot.variants ?? []).flatMap(({ name, weight }, index) => {
    const feeds = snapshot.countries.filter(({ variant }) => variant === index + 1);
    if (feeds.length === 0 && snapshot.kind === 'test') return [];
    const { steps, cost } = feedFigures(snapshot, feeds);
    const users = feeds.reduce((sum, { fedUsers }) => sum + fedUsers, 0);
    const heldOut = feeds.reduce((sum, { heldOutUsers }) => sum + heldOutUsers, 0);
    return [{ name, weight, users, heldOut, steps, ...(cost && { cost }) }];
  });
}

/** Returns the counted users of feeds that have no variant yet, in a run with variants. */
function undecidedUsers({ variants, countries }: RunSnapshot): number {
  const undecided = variants ? countries.filter(({ variant = null }) => variant === null) : [];
  return undecided.reduce((sum, { fedUsers }) => sum + fedUsers, 0);
}

/** Sums the lines of all feeds of a country. The feeds of a retry begin with different steps. */
function linesOf(feeds: RunSnapshot['countries'], steps: number): StepLine[] {
  const ofFeeds = feeds.map(({ fedUsers, totals, heldOutUsers, fromStep }) =>
    stepLines(fedUsers, totals, steps, heldOutUsers, fromStep),
  );
  return Array.from({ length: steps }, (_, index) => sumLines(ofFeeds.flatMap((lines) => lines[index] ?? [])));
}

function stallView(snapshot: RunSnapshot): RunStall | null {
  const { state, stateReason, stalled, stalledBy, waits, canary, variantChoice } = snapshot;
  const since = waitingSince(snapshot)?.toISOString() ?? null;
  if (isPaused(state)) {
    const isBudget = isBudgetCause(stateReason);
    const nextStep = isBudget
      ? nextSteps.budgetPause
      : canary === 'waits'
        ? nextSteps[variantChoice ? 'choice' : 'canary']
        : nextSteps.pause;
    return { by: isBudget ? 'budget' : 'pause', cause: stateReason ?? state, since, nextStep };
  }
  if (stalled === null || stalledBy === null) return null;
  if (isBudgetCause(stalled)) return { by: 'budget', cause: stalled, since, nextStep: nextSteps.budget };
  if (isQuietCause(stalled)) return { by: stalledBy, cause: stalled, since, nextStep: nextSteps.quietHours };
  if (stalledBy === 'step' && waits[0]?.blockedBy === 'no-worker')
    return { by: 'engine', cause: stalled, since, nextStep: nextSteps.noWorker };
  const nextStep = waits[0]?.held === true && stalledBy === 'step' ? nextSteps.held : nextSteps[stalledBy];
  return { by: stalledBy, cause: stalled, since, nextStep };
}

export const nextSteps = {
  pause: 'Resume or cancel the run. Its deadline keeps running.',
  budget:
    'Raise the budget of the campaign in this country: waiting batches continue within seconds. Retrying does not help.',
  budgetPause:
    'Raise the budget of the campaign, then resume the run. Without a higher budget it pauses again. Its deadline keeps running.',
  canary:
    'The canary users have ended: check their results, then resume the run for all others, or cancel it. Its deadline keeps running.',
  choice:
    'The canary users have ended: compare the variants, then resume the run with the variant for all other users (`POST …/resume` with `variant`), or cancel it. Its deadline keeps running.',
  audience: 'Muster retries automatically, and no user is lost. If it persists, check the segmentation service.',
  held: 'Fix the endpoint, its action type or the parameters of the step. One batch is tried from time to time; when it succeeds, the others follow.',
  step: 'Muster retries automatically; the team of the endpoint can find the reason.',
  quietHours: 'The run continues when the quiet hours end. Its deadline keeps running.',
  noWorker:
    'The step continues as soon as a worker serves it: `muster shards` shows which worker should, and why it does not. The deadline keeps running.',
  engine: 'The run continues when this is over; see `muster shards` and `muster doctor` for details.',
} as const;

/** Returns the start of a pause, otherwise the start of the longest wait. */
function waitingSince({ state, stateSince, waits, waitingSince: since }: RunSnapshot): Date | null {
  if (isPaused(state)) return stateSince;
  return waits[0]?.since ?? since;
}

function isPaused(state: RunState): boolean {
  return state === 'pausing' || state === 'paused';
}

function stepLineView(
  { step, ...line }: StepLine,
  { chain, kind, stepModes }: Pick<RunSnapshot, 'chain' | 'kind' | 'stepModes'>,
  receipts: readonly ReceiptTotals[],
): StepLineShape {
  const { action = '', receipts: isAsynchronous = false } = chain[step - 1] ?? {};
  // A step that has receipts shows them even if its action type is no longer asynchronous.
  const hasReceipts = isAsynchronous || receipts.some((each) => each.step === step);
  return {
    step,
    action,
    ...line,
    ...(kind === 'test' && { mode: modeOfStep(stepModes, step) }),
    ...(hasReceipts && { receipts: receiptLine(line.succeeded, receipts, step) }),
  };
}

/**
 * Returns the estimated number of users. Null if any country has no estimate, because a partial sum would look
 * complete.
 */
export function estimatedUsers({ countries }: RunSnapshot): number | null {
  if (countries.length === 0) return null;
  return countries.reduce<number | null>(
    (sum, { estimate }) => (sum === null || estimate === null ? null : sum + estimate),
    0,
  );
}
