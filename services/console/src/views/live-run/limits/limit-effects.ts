import type { RunProgress } from '#client/types.gen.ts';
import { formatTypedBudget, figuresOf, formatAmount, type BudgetSize } from '../../../parts/money/amounts.ts';
import { formatFineShare } from '../../../parts/words/figures.ts';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';
import { formatDuration } from '../../../parts/times/times.ts';

/** Current or future effect of a limit. The lead is shown first, in bold. */
export interface LimitEffect {
  lead?: string;
  text: string;
  warning?: string;
}

export interface LimitContext {
  nowMs: number;
  timeOf: (instant: string) => string;
}

type PacedRun = Pick<RunProgress, 'audience' | 'eta' | 'settings' | 'state'>;

/** Returns the users that are not fed yet; null if their number is unknown. */
function unfedUsers({ audience }: Pick<RunProgress, 'audience'>): number | null {
  if (audience.complete) return 0;
  if (audience.estimated === null) return null;
  return Math.max(0, audience.estimated - audience.counted - audience.excluded);
}

/** Returns the time in milliseconds that feeding takes at a pace; null if it is unknown. */
function feedingMs(progress: PacedRun, pace: number | null): number | null {
  const unfed = unfedUsers(progress);
  return unfed === null || pace === null || pace <= 0 ? null : (unfed / pace) * 1000;
}

/**
 * Returns the expected end of the run at a pace, as epoch milliseconds. This is the current estimate, or a later time
 * if feeding takes longer. Null if the end is unknown, or the run is not in the state `running`.
 */
export function expectedEndMs(progress: PacedRun, pace: number | null, nowMs: number): number | null {
  if (progress.state !== 'running') return null;
  const fedMs = feedingMs(progress, pace);
  const goesOnMs = progress.eta === null ? null : Date.parse(progress.eta.p50);
  const isFaster = (pace ?? Infinity) > (progress.settings.paceUsersPerSecond ?? Infinity);
  if (fedMs === null) return isFaster ? null : goesOnMs;
  if (isFaster || goesOnMs === null) return nowMs + fedMs;
  return Math.max(goesOnMs, nowMs + fedMs);
}

/** @param pace undefined if unchanged */
export function paceEffect(
  progress: PacedRun,
  pace: number | null | undefined,
  { nowMs, timeOf }: LimitContext,
): LimitEffect {
  const unfed = unfedUsers(progress);
  if (progress.audience.complete) return { text: 'All users are fed already, so the pace has no effect.' };
  const now = progress.settings.paceUsersPerSecond;
  const wanted = pace === undefined ? now : pace;
  const users = unfed === null ? 'users not fed yet' : `the ${countOf(unfed, 'user')} not fed yet`;
  const calls = 'Calls in flight are not slowed down.';
  if (wanted === null) {
    const text = `${capital(users)} ${unfed === 1 ? 'is' : 'are'} fed as fast as endpoints and workers allow.`;
    return pace === undefined ? { text: `No limit. ${text}` } : { lead: 'No limit.', text };
  }
  const takesMs = feedingMs(progress, wanted);
  if (takesMs === null) return { text: `It applies to ${users}; their number is unknown. ${calls}` };
  const takes = `${users} ${unfed === 1 ? 'needs' : 'need'} ${formatDuration(takesMs)}`;
  if (pace === undefined) return { text: `Unchanged: ${takes} at least.` };
  const endMs = expectedEndMs(progress, wanted, nowMs);
  if (endMs === null) return { text: `${capital(takes)} at that pace. ${calls}` };
  const end = timeOf(new Date(endMs).toISOString());
  const before = progress.eta === null ? '' : timeOf(progress.eta.p50);
  const instead = before === '' || before === end ? '' : ` instead of ${before}`;
  const isFaster = wanted > (now ?? Infinity);
  const lead = isFaster ? `Ends ${end} at the earliest` : `Ends about ${end}`;
  return { lead, text: `${instead}: ${takes}. ${isFaster ? 'Endpoints may be slower than that.' : calls}` };
}

/** @param deadlineMs typed deadline; null if it is not a time @param endMs expected end with the typed pace */
export function deadlineEffect(
  deadlineMs: number | null,
  { isChanged, endMs, nowMs }: { isChanged: boolean; endMs: number | null; nowMs: number },
): LimitEffect {
  const outcome = 'users who still wait then expire';
  if (deadlineMs === null) return { text: 'Users who still wait at the deadline expire.' };
  const unchanged = isChanged ? '' : 'Unchanged. ';
  if (deadlineMs <= nowMs) return { text: '', warning: 'This time has passed. To end the run now, cancel it.' };
  if (endMs !== null && deadlineMs < endMs)
    return { text: unchanged, warning: `${formatDuration(endMs - deadlineMs)} before the end above: ${outcome}.` };
  const lead = isChanged ? { lead: `${formatDuration(deadlineMs - nowMs)} from now` } : {};
  const spare = endMs === null ? '' : `${formatDuration(deadlineMs - endMs)} after the end above`;
  if (isChanged) return { ...lead, text: `${spare === '' ? '' : `, ${spare}`}; ${outcome}.` };
  return { text: `${unchanged}${spare === '' ? capital(outcome) : `${spare}; ${outcome}`}.` };
}

/** @param wanted typed priority; undefined if unchanged */
export function priorityEffect(wanted: string | undefined): LimitEffect {
  const rule = 'low one, normal two, high four';
  if (wanted === undefined) return { text: `Unchanged. Runs in the same shards take turns: ${rule}.` };
  const turns = { low: 'One turn', normal: 'Two turns', high: 'Four turns' }[wanted] ?? 'Turns';
  return { lead: turns, text: `: runs in the same shards take turns, ${rule}.` };
}

type CheckedRun = Pick<RunProgress, 'steps' | 'settings'>;

/** @param percent undefined if unchanged */
export function failedEffect({ steps, settings }: CheckedRun, percent: number | null | undefined): LimitEffect {
  const worst = steps
    .map(({ step, succeeded, failed, unknown }) => ({
      step,
      failed: failed + unknown,
      of: succeeded + failed + unknown,
    }))
    .toSorted((a, b) => b.failed * a.of - a.failed * b.of)[0];
  const soFar =
    worst === undefined || worst.failed === 0
      ? 'No user has failed so far.'
      : `So far ${formatCount(worst.failed)} of ${formatCount(worst.of)} in step ${worst.step}, ${formatFineShare(worst.failed, worst.of)}.`;
  const limit = percent === undefined ? settings.pauseAtFailedPercent : percent;
  const unchanged = percent === undefined ? 'Unchanged. ' : '';
  if (limit === null) return { text: `${unchanged}The run never pauses because of failures. ${soFar}` };
  const least = settings.pauseAtFailedMinUsers;
  const isOver = worst !== undefined && worst.of >= least && worst.failed * 100 > limit * worst.of;
  const scope = `of a step’s users, checked once ${countOf(least, 'user')} have ended the step since the last resume`;
  const text = percent === undefined ? `${unchanged}The limit is a share ${scope}. ${soFar}` : ` ${scope}. ${soFar}`;
  return {
    ...(percent !== undefined && { lead: `Above ${limit} %` }),
    text,
    ...(isOver && percent !== undefined && { warning: 'It would pause within seconds.' }),
  };
}

export interface BudgetChange {
  budget: RunProgress['budgets'][number];
  /** Typed budget; undefined if unchanged. */
  wanted: BudgetSize | undefined;
  /** Largest budget that needs no approval; null if no budget needs one. */
  raisableTo: BudgetSize | null;
}

/** Returns the effect of a country's budget, which all runs of the campaign share. */
export function budgetEffect(
  { waits, countries }: Pick<RunProgress, 'waits' | 'countries'>,
  { budget, wanted, raisableTo }: BudgetChange,
): LimitEffect {
  const { country } = budget;
  const { all, used, reserved, unit } = figuresOf(budget);
  const taken = used.number + reserved.number;
  const size = wanted && numberOf(wanted);
  const left = (size ?? all.number) - taken;
  const waiting = waits.find((wait) => wait.by === 'budget' && wait.country === country);
  const lines = countries.find((each) => each.country === country)?.steps ?? [];
  const pending = (waiting ? lines.find(({ step }) => step === waiting.step) : lines[0])?.pending ?? 0;
  const who = waiting ? countOf(pending, 'waiting user') : countOf(pending, 'pending user');
  const text = `${formatAmount(unit, Math.max(0, left))} left for ${who}.`;
  if (size === undefined) return { text: `Unchanged. ${text}` };
  if (raisableTo !== null && size > numberOf(raisableTo) && size > all.number)
    return {
      text,
      warning: `Above ${formatTypedBudget(raisableTo)}, the change needs an approval, which you can request.`,
    };
  if (left < 0)
    return {
      text: '',
      warning: `Less than the ${unit === 'units' ? formatCount(taken) : formatAmount(unit, taken)} used and reserved: no further user is called there.`,
    };
  return {
    lead: waiting && size > all.number ? `${country} continues.` : `${formatAmount(unit, taken)} used and reserved.`,
    text: ` ${text}`,
  };
}

function numberOf({ units = 0, amount }: BudgetSize): number {
  return amount === undefined ? units : Number(amount);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
