import type { RunProgress } from '#client/types.gen.ts';
import { formatFineShare } from '../../parts/words/figures.ts';
import { failedUsers } from '../../parts/failures/failure-reasons.ts';
import { foldedAbove } from '../../parts/step-table/country-groups.ts';
import { aboutWords } from '../../parts/audience/how-many.ts';
import type { Kpi } from '../../parts/panels/kpis.tsx';
import { countOf, formatCount, formatRate } from '../../parts/words/numbers.ts';
import { besideTime, formatDuration, partsOfTime } from '../../parts/times/times.ts';
import { troubledCountries } from './causes.ts';
import { runFigures } from './run-figures.ts';

/**
 * Returns the main numbers of a run: its speed, its end, and its problems.
 * @param failed the number that the panel of reasons shows
 * @param timeOf formats an instant: `Mon 24 Nov, 11:36`, today without the day
 */
export function kpisOf(
  progress: RunProgress,
  timeOf: (instant: string) => string,
  failed = failedUsers(progress.steps, []),
): Kpi[] {
  const { through, of, isEstimated } = runFigures(progress);
  const { usersPerSecond, inFlight, settings } = progress;
  const whole = isEstimated ? aboutWords(of) : formatCount(of);
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
    ...(timesOfEnded(progress, timeOf) ?? [
      {
        name: 'Rate, last minute',
        value: formatRate(usersPerSecond.through),
        unit: 'users/s',
        note: `fed ${formatRate(usersPerSecond.fed)}/s${pace}`,
      },
      { name: 'ETA', ...etaOf(progress, timeOf) },
    ]),
    countriesKpi(progress) ?? {
      name: 'In flight',
      value: formatCount(inFlight),
      unit: inFlight === 1 ? 'batch' : 'batches',
      note: waitWords(progress),
    },
  ];
}

/** Describes waiting batches. A pause holds them: none is retried before a person resumes the run. */
function waitWords({ state, waitingForRetry }: RunProgress): string {
  if (state === 'paused' || state === 'pausing')
    return `${countOf(waitingForRetry, 'more is', 'more are')} held by the pause`;
  return `${countOf(waitingForRetry, 'more waits', 'more wait')} for a retry`;
}

/** Returns the number of countries that are done. Null if there are few countries, which are all visible. */
function countriesKpi(progress: RunProgress): Kpi | null {
  const { countries, audience } = progress;
  if (countries.length <= foldedAbove) return null;
  const troubled = new Set(troubledCountries(progress).map(({ country }) => country));
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
function timesOfEnded(
  { startedAt, endedAt, audience }: RunProgress,
  timeOf: (instant: string) => string,
): Kpi[] | null {
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

function etaOf({ eta, waits, state }: RunProgress, timeOf: (instant: string) => string): Pick<Kpi, 'value' | 'note'> {
  const waiting = [...new Set(waits.map(({ country }) => country))];
  if (eta !== null) {
    const recovering = waiting.filter((country) => !eta.without.includes(country));
    const condition = [
      eta.without.length === 0 ? '' : ` · without ${someOf(eta.without)}`,
      recovering.length === 0 ? '' : ` · if ${someOf(recovering)} ${recovering.length === 1 ? 'recovers' : 'recover'}`,
    ].join('');
    // The day is in the note: the value has room only for a time of day.
    const at = timeOf(eta.p50);
    const { day, clock } = partsOfTime(at);
    const on = day === undefined ? '' : `${day} · `;
    return { value: clock, note: `${on}p90 ${besideTime(timeOf(eta.p90), at)}${condition}` };
  }
  const needsBudget = [...new Set(waits.flatMap(({ by, country }) => (by === 'budget' ? [country] : [])))];
  if (state === 'running' && needsBudget.length > 0)
    return { value: '–', note: `not before the budget of ${someOf(needsBudget)} is raised` };
  const heldIn = [...new Set(waits.flatMap(({ held, country }) => (held ? [country] : [])))];
  if (state === 'running' && heldIn.length > 0) return { value: '–', note: `not before ${someOf(heldIn)} is mended` };
  const unserved = [
    ...new Set(waits.flatMap(({ blockedBy, country }) => (blockedBy === 'no-worker' ? [country] : []))),
  ];
  if (state === 'running' && unserved.length > 0)
    return { value: '–', note: `not before a worker serves ${someOf(unserved)}` };
  const quiet = [...new Set(waits.flatMap(({ blockedBy, country }) => (blockedBy === 'quiet-hours' ? [country] : [])))];
  if (state === 'running' && quiet.length > 0)
    return { value: '–', note: `not before quiet hours end in ${someOf(quiet)}` };
  return { value: '–', note: withoutEta[state] ?? 'nothing moves now' };
}

/** Lists as many countries as there is room for: `VN, MM and 3 more`. */
function someOf(countries: readonly string[]): string {
  if (countries.length <= 2) return countries.join(' and ');
  return `${countries.slice(0, 2).join(', ')} and ${countries.length - 2} more`;
}

const withoutEta: Partial<Record<RunProgress['state'], string>> = {
  preparing: 'not before it begins',
  pausing: 'when it is resumed',
  paused: 'when it is resumed',
  cancelling: 'as soon as all is recorded',
};
