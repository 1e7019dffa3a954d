import type { RunProgress } from '#client/types.gen.ts';
import { formatFineShare } from '../../../parts/words/figures.ts';
import { failedUsers } from '../../../parts/failures/failure-reasons.ts';
import { foldedAbove } from '../../../parts/step-table/country-groups.ts';
import { formatAbout } from '../../../parts/audience/user-count.ts';
import type { Kpi } from '../../../parts/panels/kpis.tsx';
import { countOf, formatCount, formatRate } from '../../../parts/words/numbers.ts';
import { formatFollowingTime, formatDuration, partsOfTime } from '../../../parts/times/times.ts';
import { findTroubledCountries } from './causes.ts';
import { computeRunFigures } from './run-figures.ts';

/**
 * Returns the main numbers of a run: its speed, its end, and its problems.
 * @param failed the number that the panel of reasons shows
 * @param timeOf formats an instant: `Mon 24 Nov, 11:36`, today without the day
 */
export function computeKpis(
  progress: RunProgress,
  timeOf: (instant: string) => string,
  failed = failedUsers(progress.steps, []),
): Kpi[] {
  const { through, of, isEstimated } = computeRunFigures(progress);
  const { usersPerSecond, inFlight, settings } = progress;
  const whole = isEstimated ? formatAbout(of) : formatCount(of);
  const [share, unit] = formatFineShare(through, of).split(/ (?=%)/);
  const { paceUsersPerSecond } = settings;
  const pace = paceUsersPerSecond === null ? '' : `, pace ${formatCount(paceUsersPerSecond)}`;
  const limit = settings.pauseAtFailedPercent === null ? '' : ` · limit ${settings.pauseAtFailedPercent}\u00a0%`;
  return [
    {
      name: 'Through the chain',
      value: share ?? '–',
      ...(unit !== undefined && { unit }),
      note: `${formatCount(through)} of ${whole} users`,
    },
    {
      name: 'Failed at a step',
      value: formatCount(failed),
      note: `${formatFineShare(failed, of)} of users${limit}`,
    },
    ...(endedTimes(progress, timeOf) ?? [
      {
        name: 'Rate, last minute',
        value: formatRate(usersPerSecond.through),
        unit: 'users/s',
        note: `fed ${formatRate(usersPerSecond.fed)}/s${pace}`,
      },
      { name: 'ETA', ...formatEta(progress, timeOf) },
    ]),
    countriesKpi(progress) ?? {
      name: 'In flight',
      value: formatCount(inFlight),
      unit: inFlight === 1 ? 'batch' : 'batches',
      note: describeWaiting(progress),
    },
  ];
}

/** Describes waiting batches. In a paused run, none is retried before a person resumes the run. */
function describeWaiting({ state, waitingForRetry }: RunProgress): string {
  if (state === 'paused' || state === 'pausing') return `${countOf(waitingForRetry, 'more is', 'more are')} paused`;
  return `${countOf(waitingForRetry, 'more waits', 'more wait')} for a retry`;
}

/** Returns the number of countries that are done. Null if there are few countries, which are all visible. */
function countriesKpi(progress: RunProgress): Kpi | null {
  const { countries, audience } = progress;
  if (countries.length <= foldedAbove) return null;
  const troubled = new Set(findTroubledCountries(progress).map(({ country }) => country));
  const done = countries.filter(
    ({ country, steps }) => !troubled.has(country) && audience.complete && steps.every(({ pending }) => pending <= 0),
  ).length;
  return {
    name: 'Countries',
    value: formatCount(done),
    unit: `of ${countries.length} done`,
    note: `${countries.length - done - troubled.size} under way · ${troubled.size} in trouble`,
  };
}

/** Returns the speed and the end of a run that has ended; null while it is under way. */
function endedTimes({ startedAt, endedAt, audience }: RunProgress, timeOf: (instant: string) => string): Kpi[] | null {
  if (endedAt === null) return null;
  const { day = '', clock } = partsOfTime(timeOf(endedAt));
  if (startedAt === null) return [{ name: 'Ended', value: clock, note: day }];
  const tookMs = Date.parse(endedAt) - Date.parse(startedAt);
  return [
    {
      name: 'Rate, whole run',
      value: formatRate(audience.counted / Math.max(1, tookMs / 1000)),
      unit: 'users/s',
      note: `took ${formatDuration(tookMs)}`,
    },
    {
      name: 'Ended',
      value: clock,
      note: day === '' ? `began ${timeOf(startedAt)}` : `${day} · began ${timeOf(startedAt)}`,
    },
  ];
}

function formatEta(
  { eta, waits, state }: RunProgress,
  timeOf: (instant: string) => string,
): Pick<Kpi, 'value' | 'note'> {
  const waiting = [...new Set(waits.map(({ country }) => country))];
  if (eta !== null) {
    const recovering = waiting.filter((country) => !eta.without.includes(country));
    const condition = [
      eta.without.length === 0 ? '' : ` · without ${listSome(eta.without)}`,
      recovering.length === 0
        ? ''
        : ` · if ${listSome(recovering)} ${recovering.length === 1 ? 'recovers' : 'recover'}`,
    ].join('');
    // The day is in the note: the value has room only for a time of day.
    const at = timeOf(eta.p50);
    const { day, clock } = partsOfTime(at);
    const on = day === undefined ? '' : `${day} · `;
    return { value: clock, note: `${on}p90 ${formatFollowingTime(timeOf(eta.p90), at)}${condition}` };
  }
  const needsBudget = [...new Set(waits.flatMap(({ by, country }) => (by === 'budget' ? [country] : [])))];
  if (state === 'running' && needsBudget.length > 0)
    return { value: '–', note: `not before the budget of ${listSome(needsBudget)} is raised` };
  const heldIn = [...new Set(waits.flatMap(({ held, country }) => (held ? [country] : [])))];
  if (state === 'running' && heldIn.length > 0) return { value: '–', note: `not before ${listSome(heldIn)} is fixed` };
  const unserved = [
    ...new Set(waits.flatMap(({ blockedBy, country }) => (blockedBy === 'no-worker' ? [country] : []))),
  ];
  if (state === 'running' && unserved.length > 0)
    return { value: '–', note: `not before a worker serves ${listSome(unserved)}` };
  const quiet = [...new Set(waits.flatMap(({ blockedBy, country }) => (blockedBy === 'quiet-hours' ? [country] : [])))];
  if (state === 'running' && quiet.length > 0)
    return { value: '–', note: `not before quiet hours end in ${listSome(quiet)}` };
  return { value: '–', note: reasonsWithoutEta[state] ?? 'no progress right now' };
}

/** Names at most two countries, and the number of others: `VN, MM and 3 more`. */
function listSome(countries: readonly string[]): string {
  if (countries.length <= 2) return countries.join(' and ');
  return `${countries.slice(0, 2).join(', ')} and ${countries.length - 2} more`;
}

const reasonsWithoutEta: Partial<Record<RunProgress['state'], string>> = {
  preparing: 'not before the run starts',
  pausing: 'after it is resumed',
  paused: 'after it is resumed',
  cancelling: 'when all results are recorded',
};
