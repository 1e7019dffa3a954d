import type { ListedCampaign, ListedRun } from '#client/types.gen.ts';
import { formatLocalStart } from '../../parts/when/local-start.ts';
import { formatAbout } from '../../parts/audience/user-count.ts';
import { countOf, formatCount, formatRate, formatShare } from '../../parts/words/numbers.ts';
import { formatFollowingTime, formatDuration } from '../../parts/times/times.ts';

export interface TextLines {
  first: string;
  second: string;
  aside?: string;
}

export interface Cause {
  tone: 'warn' | 'bad' | 'idle';
  words: string;
}

/** Returns the cause of a state that needs attention; null if there is none. */
export function findCause({ standing, run }: ListedCampaign): Cause | null {
  if (!run || standing === 'scheduled' || standing === 'draft') return null;
  if (run.endedAt === null) return causeWhileOpen(run);
  if (run.unknownUsers > 0) return { tone: 'warn', words: `${formatCount(run.unknownUsers)} unknown` };
  if (run.state === 'completed_with_failures') return { tone: 'idle', words: 'with failures' };
  if (run.state === 'failed' && run.stateReason !== null) return { tone: 'bad', words: run.stateReason };
  return null;
}

function causeWhileOpen({ state, pausedItself, stateReason, stalled, waits }: ListedRun): Cause | null {
  if (state === 'paused' || state === 'pausing') {
    return pausedItself ? { tone: 'warn', words: stateReason ?? 'paused automatically' } : null;
  }
  const countries = [...new Set(waits.map(({ country }) => country))].sort();
  if (countries.length > 0)
    return {
      tone: 'warn',
      words: `${formatCodes(countries, 'country', 'countries')} ${countries.length === 1 ? 'waits' : 'wait'}`,
    };
  return stalled === null ? null : { tone: 'warn', words: 'waits' };
}

/** Returns a text such as `payday-active · revision 3`. */
export function describeAudience({ audience, revision }: ListedCampaign): string {
  const [first, ...others] = audience.include.map((entry) =>
    'segment' in entry ? entry.segment : 'list' in entry ? 'uploaded list' : 'users of an earlier run',
  );
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${first ?? 'no audience yet'}${more} · revision ${revision}`;
}

/** Lists up to four codes, else their number. */
export function formatCodes(codes: readonly string[], one: string, many: string): string {
  return codes.length <= 4 ? codes.join(', ') : countOf(codes.length, one, many);
}

/**
 * Returns the number of a run's users. While they are still being counted, the estimate applies if it is greater than
 * the count so far.
 */
export function countAudience({ audience }: ListedRun): number {
  return audience.complete ? audience.counted : Math.max(audience.counted, audience.estimated ?? 0);
}

function isEstimated({ audience }: ListedRun): boolean {
  return !audience.complete && (audience.estimated ?? 0) > audience.counted;
}

export function describeSuccess(run: ListedRun | null): TextLines {
  if (!run) return { first: '–', second: '' };
  const users = countAudience(run);
  const { succeeded } = run.lastStep;
  const total = isEstimated(run) ? formatAbout(users) : formatCount(users);
  return { first: formatCount(succeeded), second: `of ${total} · ${formatShare(succeeded, users)}` };
}

export interface NextStyle {
  nowMs: number;
  formatTime: (instant: string) => string;
}

/**
 * Returns the time that matters next: the start of a scheduled campaign, the expected end of a run, or the time at
 * which a run has ended.
 */
export function describeNext(campaign: ListedCampaign, style: NextStyle): TextLines {
  const { standing, run, nextRunAt, startsAt, createdAt, archivedAt } = campaign;
  if (standing === 'archived' && archivedAt !== null) {
    return { first: 'Archived', second: style.formatTime(archivedAt) };
  }
  if (standing === 'draft') return { first: 'Not scheduled', second: `created ${style.formatTime(createdAt)}` };
  if (standing === 'scheduled') return plannedWords(nextRunAt ?? startsAt, campaign, style);
  if (!run) return { first: 'Starts now', second: '' };
  if (run.endedAt !== null) return endedWords(run, run.endedAt, style);
  if (standing === 'paused') return pausedWords(run, campaign, style);
  return runningWords(run, style);
}

function runningWords({ eta, usersPerSecond }: ListedRun, { formatTime }: NextStyle): TextLines {
  const rate = `${formatRate(usersPerSecond.through)} users/s`;
  if (!eta) return { first: 'No ETA yet', second: rate };
  const at = formatTime(eta.p50);
  return { first: `ETA ${at}`, second: rate, aside: `p90 ${formatFollowingTime(formatTime(eta.p90), at)}` };
}

function pausedWords(
  { stateSince, pausedItself }: ListedRun,
  { pauseAtFailedPercent }: ListedCampaign,
  { nowMs }: NextStyle,
): TextLines {
  const first = stateSince === null ? 'Paused' : `Paused ${formatDuration(toMinute(nowMs - Date.parse(stateSince)))}`;
  if (!pausedItself) return { first, second: 'by a person' };
  const limit = pauseAtFailedPercent === undefined ? '' : `, the limit is ${pauseAtFailedPercent} %`;
  return { first, second: `automatically${limit}` };
}

function plannedWords(at: string | null, { schedule }: ListedCampaign, { nowMs, formatTime }: NextStyle): TextLines {
  if (at === null) return { first: 'As soon as possible', second: '' };
  const leftMs = Date.parse(at) - nowMs;
  const left = leftMs <= 0 ? 'about to start' : `in ${formatDuration(toMinute(leftMs))}`;
  const kinds = { now: '', at: '', local: ', local time of each country', recurring: ', recurring' };
  const first = schedule.type === 'local' ? formatLocalStart(schedule.time, new Date(nowMs)) : formatTime(at);
  return { first, second: `${left}${kinds[schedule.type]}` };
}

function endedWords(run: ListedRun, endedAt: string, { formatTime }: NextStyle): TextLines {
  const took = run.startedAt === null ? null : formatDuration(Date.parse(endedAt) - Date.parse(run.startedAt));
  const words = run.state === 'cancelled' ? 'cancelled after' : 'took';
  return { first: formatTime(endedAt), second: took === null ? '' : `${words} ${took}` };
}

/** Rounds down to whole minutes, but at least one. Texts in minutes thus change only once a minute. */
function toMinute(ms: number): number {
  return Math.max(60_000, ms - (ms % 60_000));
}
