import type { RunProgress } from '#client/types.gen.ts';
import { budgetText, figuresOf, formatIn, type BudgetSize } from '../../../parts/money/budget-words.ts';
import { formatFineShare } from '../../../parts/words/figures.ts';
import { countOf, formatCount } from '../../../parts/words/numbers.ts';
import { formatDuration } from '../../../parts/times/times.ts';

/** Current or future effect of a limit. The lead is shown first, in bold. */
export interface LimitEffect {
  lead?: string;
  text: string;
  warning?: string;
}

export interface LimitMoment {
  nowMs: number;
  timeOf: (instant: string) => string;
}

type Paced = Pick<RunProgress, 'audience' | 'eta' | 'settings' | 'state'>;

/** Returns the users that are not fed yet; null if their number is unknown. */
function unfedUsers({ audience }: Pick<RunProgress, 'audience'>): number | null {
  if (audience.complete) return 0;
  if (audience.estimated === null) return null;
  return Math.max(0, audience.estimated - audience.counted - audience.excluded);
}

/** Returns the time in milliseconds that feeding takes at a pace; null if it is unknown. */
function feedingMs(progress: Paced, pace: number | null): number | null {
  const unfed = unfedUsers(progress);
  return unfed === null || pace === null || pace <= 0 ? null : (unfed / pace) * 1000;
}

/**
 * Returns the expected end of the run at a pace: the current estimate, or later if feeding takes longer. Null if it is
 * unknown, or the run is not running.
 */
export function expectedEndMs(progress: Paced, pace: number | null, nowMs: number): number | null {
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
  progress: Paced,
  pace: number | null | undefined,
  { nowMs, timeOf }: LimitMoment,
): LimitEffect {
  const unfed = unfedUsers(progress);
  if (progress.audience.complete) return { text: 'Everybody is fed: a pace changes nothing any more.' };
  const now = progress.settings.paceUsersPerSecond;
  const wanted = pace === undefined ? now : pace;
  const whom = unfed === null ? 'whoever is not fed yet' : `the ${countOf(unfed, 'user')} not fed yet`;
  const calls = 'What is being called is not slowed down.';
  if (wanted === null) {
    const text = `${capital(whom)} ${unfed === null || unfed === 1 ? 'is' : 'are'} fed as fast as endpoints and workers go.`;
    return pace === undefined ? { text: `No limit. ${text}` } : { lead: 'No limit.', text };
  }
  const takesMs = feedingMs(progress, wanted);
  if (takesMs === null) return { text: `It counts for ${whom}; nobody knows how many those are. ${calls}` };
  const takes = `${whom} ${unfed === 1 ? 'needs' : 'need'} ${formatDuration(takesMs)}`;
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
  const then = 'whoever waits then ends as expired';
  if (deadlineMs === null) return { text: `At the deadline ${then.replace(' then', '')}.` };
  const said = isChanged ? {} : { unchanged: 'Unchanged. ' };
  const unchanged = said.unchanged ?? '';
  if (deadlineMs <= nowMs) return { text: '', warning: 'Has passed: to end the run now, cancel it.' };
  if (endMs !== null && deadlineMs < endMs)
    return { text: unchanged, warning: `${formatDuration(endMs - deadlineMs)} before the end above: ${then}.` };
  const lead = isChanged ? { lead: `${formatDuration(deadlineMs - nowMs)} from now` } : {};
  const spare = endMs === null ? '' : `${formatDuration(deadlineMs - endMs)} after the end above`;
  if (isChanged) return { ...lead, text: `${spare === '' ? '' : `, ${spare}`}; ${then}.` };
  return { text: `${unchanged}${spare === '' ? capital(then) : `${spare}; ${then}`}.` };
}

/** @param wanted undefined if unchanged */
export function priorityEffect(wanted: string | undefined): LimitEffect {
  const against = 'against other runs in the same shards';
  if (wanted === undefined) return { text: `Unchanged. It counts ${against}.` };
  const turns = { low: 'One turn', normal: 'Two turns', high: 'Four turns' }[wanted] ?? 'Turns';
  return { lead: turns, text: ` where low has one, normal two and high four, ${against}.` };
}

type Judged = Pick<RunProgress, 'steps' | 'settings'>;

/** @param percent undefined if unchanged */
export function failedEffect({ steps, settings }: Judged, percent: number | null | undefined): LimitEffect {
  const worst = steps
    .map(({ step, succeeded, failed, unknown }) => ({
      step,
      failed: failed + unknown,
      of: succeeded + failed + unknown,
    }))
    .toSorted((a, b) => b.failed * a.of - a.failed * b.of)[0];
  const soFar =
    worst === undefined || worst.failed === 0
      ? 'Nobody has failed so far.'
      : `So far ${formatCount(worst.failed)} of ${formatCount(worst.of)} in step ${worst.step}, ${formatFineShare(worst.failed, worst.of)}.`;
  const limit = percent === undefined ? settings.pauseAtFailedPercent : percent;
  const unchanged = percent === undefined ? 'Unchanged. ' : '';
  if (limit === null) return { text: `${unchanged}It never pauses by itself for them. ${soFar}` };
  const least = settings.pauseAtFailedMinUsers;
  const isOver = worst !== undefined && worst.of >= least && worst.failed * 100 > limit * worst.of;
  const judged = `of a step’s users, judged once ${formatCount(least)} have ended it since it was resumed last`;
  const text = percent === undefined ? `${unchanged}Above that share ${judged}. ${soFar}` : ` ${judged}. ${soFar}`;
  return {
    ...(percent !== undefined && { lead: `Above ${limit} %` }),
    text,
    ...(isOver && percent !== undefined && { warning: 'It would pause within seconds.' }),
  };
}

export interface BudgetMoment {
  budget: RunProgress['budgets'][number];
  /** Typed budget; undefined if unchanged. */
  wanted: BudgetSize | undefined;
  /** Largest budget that needs no approval; null if no budget needs one. */
  raisableTo: BudgetSize | null;
}

/** Returns the effect of a country's budget, which all runs of the campaign share. */
export function budgetEffect(
  { waits, countries }: Pick<RunProgress, 'waits' | 'countries'>,
  { budget, wanted, raisableTo }: BudgetMoment,
): LimitEffect {
  const { country } = budget;
  const { all, used, reserved, unit } = figuresOf(budget);
  const taken = used.number + reserved.number;
  const size = wanted && numberOf(wanted);
  const left = (size ?? all.number) - taken;
  const waiting = waits.find((wait) => wait.by === 'budget' && wait.country === country);
  const lines = countries.find((each) => each.country === country)?.steps ?? [];
  const pending = (waiting ? lines.find(({ step }) => step === waiting.step) : lines[0])?.pending ?? 0;
  const who = waiting ? `the ${formatCount(pending)} who wait` : countOf(pending, 'pending user');
  const text = `${formatIn(unit, Math.max(0, left))} left for ${who}.`;
  if (size === undefined) return { text: `Unchanged. ${text}` };
  if (raisableTo !== null && size > numberOf(raisableTo) && size > all.number)
    return {
      text,
      warning: `Above ${budgetText(raisableTo)} it needs an approval, which can be asked for.`,
    };
  if (left < 0)
    return {
      text: '',
      warning: `Less than the ${unit === 'units' ? formatCount(taken) : formatIn(unit, taken)} used and reserved: nobody more is called there.`,
    };
  return {
    lead: waiting && size > all.number ? `${country} goes on.` : `${formatIn(unit, taken)} used and reserved.`,
    text: ` ${text}`,
  };
}

function numberOf({ units = 0, amount }: BudgetSize): number {
  return amount === undefined ? units : Number(amount);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
