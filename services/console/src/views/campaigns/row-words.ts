import type { ListedCampaign, ListedRun } from '#client/types.gen.ts';
import { localStart } from '../../parts/when/local-start.ts';
import { aboutWords } from '../../parts/audience/how-many.ts';
import { countOf, formatCount, formatRate, formatShare } from '../../parts/words/numbers.ts';
import { besideTime, formatDuration } from '../../parts/times/times.ts';

export interface Lines {
  first: string;
  second: string;
  aside?: string;
}

export interface Cause {
  tone: 'warn' | 'bad' | 'idle';
  words: string;
}

/** Returns the cause of a state that needs attention; null if there is none. */
export function causeOf({ standing, run }: ListedCampaign): Cause | null {
  if (!run || standing === 'scheduled' || standing === 'draft') return null;
  if (run.endedAt === null) return causeWhileOpen(run);
  if (run.unknownUsers > 0) return { tone: 'warn', words: `${formatCount(run.unknownUsers)} unknown` };
  if (run.state === 'completed_with_failures') return { tone: 'idle', words: 'with failures' };
  if (run.state === 'failed' && run.stateReason !== null) return { tone: 'bad', words: run.stateReason };
  return null;
}

function causeWhileOpen({ state, pausedItself, stateReason, stalled, waits }: ListedRun): Cause | null {
  if (state === 'paused' || state === 'pausing') {
    return pausedItself ? { tone: 'warn', words: stateReason ?? 'paused itself' } : null;
  }
  const countries = [...new Set(waits.map(({ country }) => country))].sort();
  if (countries.length > 0)
    return {
      tone: 'warn',
      words: `${listed(countries, 'country', 'countries')} ${countries.length === 1 ? 'waits' : 'wait'}`,
    };
  return stalled === null ? null : { tone: 'warn', words: 'waits' };
}

/** Returns a text such as `payday-active · revision 3`. */
export function audienceWords({ audience, revision }: ListedCampaign): string {
  const [first, ...others] = audience.include.map((entry) =>
    'segment' in entry ? entry.segment : 'list' in entry ? 'uploaded list' : 'users of an earlier run',
  );
  const more = others.length === 0 ? '' : ` and ${others.length} more`;
  return `${first ?? 'no audience yet'}${more} · revision ${revision}`;
}

/** Lists up to four codes, else their number. */
export function listed(codes: readonly string[], one: string, many: string): string {
  return codes.length <= 4 ? codes.join(', ') : countOf(codes.length, one, many);
}

/** Returns the number of a run's users: the count if it is complete, else at least the estimate. */
export function audienceOf({ audience }: ListedRun): number {
  return audience.complete ? audience.counted : Math.max(audience.counted, audience.estimated ?? 0);
}

function isEstimated({ audience }: ListedRun): boolean {
  return !audience.complete && (audience.estimated ?? 0) > audience.counted;
}

export function throughWords(run: ListedRun | null): Lines {
  if (!run) return { first: '–', second: '' };
  const all = audienceOf(run);
  const { succeeded } = run.lastStep;
  const of = isEstimated(run) ? aboutWords(all) : formatCount(all);
  return { first: formatCount(succeeded), second: `of ${of} · ${formatShare(succeeded, all)}` };
}

export interface NextWordsStyle {
  nowMs: number;
  formatTime: (instant: string) => string;
}

/** Returns the time that matters next: the end, the next start, or, after the end, the time of the end. */
export function nextWords(campaign: ListedCampaign, style: NextWordsStyle): Lines {
  const { standing, run, nextRunAt, startsAt, createdAt, archivedAt } = campaign;
  if (standing === 'archived' && archivedAt !== null) {
    return { first: 'Archived', second: style.formatTime(archivedAt) };
  }
  if (standing === 'draft') return { first: 'Not scheduled', second: `made ${style.formatTime(createdAt)}` };
  if (standing === 'scheduled') return plannedWords(nextRunAt ?? startsAt, campaign, style);
  if (!run) return { first: 'Begins now', second: '' };
  if (run.endedAt !== null) return endedWords(run, run.endedAt, style);
  if (standing === 'paused') return pausedWords(run, campaign, style);
  return runningWords(run, style);
}

function runningWords({ eta, usersPerSecond }: ListedRun, { formatTime }: NextWordsStyle): Lines {
  const rate = `${formatRate(usersPerSecond.through)} users/s`;
  if (!eta) return { first: 'No ETA yet', second: rate };
  const at = formatTime(eta.p50);
  return { first: `ETA ${at}`, second: rate, aside: `p90 ${besideTime(formatTime(eta.p90), at)}` };
}

function pausedWords(
  { stateSince, pausedItself }: ListedRun,
  { pauseAtFailedPercent }: ListedCampaign,
  { nowMs }: NextWordsStyle,
): Lines {
  const first = stateSince === null ? 'Paused' : `Paused ${formatDuration(toMinute(nowMs - Date.parse(stateSince)))}`;
  if (!pausedItself) return { first, second: 'by a person' };
  const limit = pauseAtFailedPercent === undefined ? '' : `, the limit is ${pauseAtFailedPercent} %`;
  return { first, second: `by itself${limit}` };
}

function plannedWords(at: string | null, { schedule }: ListedCampaign, { nowMs, formatTime }: NextWordsStyle): Lines {
  if (at === null) return { first: 'As soon as it can', second: '' };
  const leftMs = Date.parse(at) - nowMs;
  const left = leftMs <= 0 ? 'about to begin' : `in ${formatDuration(toMinute(leftMs))}`;
  const kinds = { now: '', at: '', local: ', at that hour in each country', recurring: ', again and again' };
  const first = schedule.type === 'local' ? localStart(schedule.time, new Date(nowMs)) : formatTime(at);
  return { first, second: `${left}${kinds[schedule.type]}` };
}

function endedWords(run: ListedRun, endedAt: string, { formatTime }: NextWordsStyle): Lines {
  const took = run.startedAt === null ? null : formatDuration(Date.parse(endedAt) - Date.parse(run.startedAt));
  const words = run.state === 'cancelled' ? 'cancelled after' : 'took';
  return { first: formatTime(endedAt), second: took === null ? '' : `${words} ${took}` };
}

/** Rounds down to minutes, at least one, because texts in minutes change only once a minute. */
function toMinute(ms: number): number {
  return Math.max(60_000, ms - (ms % 60_000));
}
