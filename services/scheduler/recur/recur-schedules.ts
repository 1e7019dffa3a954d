import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { SkipCause } from '../../../shared/domain/recurrence/policies.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { BrokenSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { schedulerMetrics } from '../report/metrics.ts';
import { recordFired, type FiredTracesDeps } from './fired-traces.ts';
import type { DueSchedules, FiredOccurrence, Looker } from '../ports/due-schedules.ts';

/** Schedules of one transaction, at most: what is said once for all of them is half of what a hundred cost. */
const maxSchedules = 500;

export interface RecurSchedulesDeps extends FiredTracesDeps {
  dueSchedules: DueSchedules;
  /** Whose home groups fire here at once. */
  looker: Looker;
  /** What is due and could not be taken is looked at again after this. */
  pollMs: number;
  /** A schedule may be made that is due before the ones that are known: look again after this at the latest. */
  longestPollMs: () => number;
  /** Something waits for the fire before it. */
  onBuffered: () => void;
  /** Whether notices are heard now. */
  isHearing: () => boolean;
  /** Only one node of a region works; the others would wait for its rows. */
  isLeading: () => boolean;
  logger: Logger;
  figures: ScheduleFigures;
}

/** What schedules do, in figures. */
export interface ScheduleFigures {
  fired: (occurrences: number) => void;
  skipped: (cause: SkipCause, instants: number) => void;
  /** At the last look at all of them; 0 where another node looks. */
  broken: (schedules: number) => void;
}

export function createScheduleFigures(meter: Meter): ScheduleFigures {
  const fired = meter.counter(schedulerMetrics.fires).of({});
  const skipped = meter.counter(schedulerMetrics.skips);
  const broken = meter.gauge(schedulerMetrics.broken).of({});
  return {
    broken: (schedules) => broken.set(schedules),
    fired: (occurrences) => fired.add(occurrences),
    skipped: (cause, instants) => skipped.of({ cause }).add(instants),
  };
}

/** Fires what recurs and is due. Returns how long to wait before looking again, in milliseconds. */
export async function recurSchedules(deps: RecurSchedulesDeps): Promise<number> {
  const { dueSchedules, looker, pollMs, isLeading, logger, figures } = deps;
  if (!isLeading()) return deps.longestPollMs();

  const beganMs = deps.clock.monotonicMs();
  const recurred = await dueSchedules.recur(looker, maxSchedules);
  const { fired, buffered, skipped, ended, broken, looked, nextLookInMs } = recurred;
  figures.fired(fired.length);
  recordFired(fired, beganMs, deps);
  for (const occurrence of fired) logger.info(factsOf(occurrence), 'schedule fired');
  if (buffered.length > 0) deps.onBuffered();
  for (const occurrence of buffered) logger.info(factsOf(occurrence), 'occurrence waits for the one before it');
  for (const { scheduleId, group, firstMs, lastMs, count, cause } of skipped) {
    const times = { from: new Date(firstMs).toISOString(), until: new Date(lastMs).toISOString() };
    figures.skipped(cause, count);
    logger.info({ scheduleId: publicId('schedule', scheduleId), group, ...times, count, cause }, 'instants skipped');
  }
  for (const scheduleId of ended) logger.info({ scheduleId: publicId('schedule', scheduleId) }, 'schedule ended');
  logBroken(logger, broken);
  if (looked === maxSchedules) return 0;
  // What is due and was not taken is another's at this moment, or this region is switched off.
  return looked === 0 && nextLookInMs === 0 ? pollMs : Math.min(nextLookInMs ?? Infinity, deps.longestPollMs());
}

/** What waits for the fire before it is looked after this often: no event tells when a job or a run ends. */
const bufferedLookMs = 1000;
/** While nothing waits, as what begins to is told. */
const noneBufferedLookMs = 5000;

export async function fireBuffered(deps: RecurSchedulesDeps): Promise<number> {
  const { dueSchedules, looker, isLeading, logger, figures } = deps;
  if (!isLeading()) return bufferedLookMs;
  const beganMs = deps.clock.monotonicMs();
  const { fired, broken, isAny } = await dueSchedules.fireBuffered(looker, maxSchedules);
  figures.fired(fired.length);
  recordFired(fired, beganMs, deps);
  for (const occurrence of fired) logger.info(factsOf(occurrence), 'occurrence fired that had waited');
  logBroken(logger, broken);
  return isAny || !deps.isHearing() ? bufferedLookMs : noneBufferedLookMs;
}

/** Each schedule is looked at about this often, a page at a time. */
const rearmEveryMs = 60_000;
const rearmPage = 500;

/**
 * Gives schedules that lost their next look another one. Nothing should: that they have one is checked all the same.
 * Finds those that cannot be read before they are due, and those that can be read again.
 */
export function createRearming(deps: RecurSchedulesDeps): () => Promise<number> {
  const { dueSchedules, isLeading, logger, figures } = deps;
  let cursor: string | null = null;
  let brokenSoFar = 0;
  return async () => {
    if (!isLeading()) {
      figures.broken(0);
      return rearmEveryMs;
    }
    const page = await dueSchedules.rearm(rearmPage, cursor);
    brokenSoFar = page.brokenNow + (cursor === null ? 0 : brokenSoFar);
    cursor = page.cursor;
    if (cursor === null) figures.broken(brokenSoFar);
    logBroken(logger, page.broken);
    for (const scheduleId of page.readable) {
      logger.info({ scheduleId: publicId('schedule', scheduleId) }, 'schedule can be read again');
    }
    if (page.mended > 0) logger.warn({ schedules: page.mended }, 'schedules had no time to be looked at, armed again');
    return cursor === null ? rearmEveryMs : 0;
  };
}

const forgetEveryMs = 3_600_000;
/** While there is more to delete. */
const betweenChunksMs = 1000;
const forgottenAtOnce = 5000;

export async function forgetOccurrences(
  { dueSchedules, isLeading }: RecurSchedulesDeps,
  days: number,
): Promise<number> {
  if (!isLeading() || days === 0) return forgetEveryMs;
  return (await dueSchedules.forget(days, forgottenAtOnce)) >= forgottenAtOnce ? betweenChunksMs : forgetEveryMs;
}

function logBroken(logger: Logger, broken: readonly BrokenSchedule[]): void {
  for (const { scheduleId, cause } of broken) {
    logger.error({ scheduleId: publicId('schedule', scheduleId), cause }, 'schedule is broken: it fires nothing');
  }
}

function factsOf({ scheduleId, group, scheduledForMs, targetId }: FiredOccurrence) {
  const scheduledFor = new Date(scheduledForMs).toISOString();
  return { scheduleId: publicId('schedule', scheduleId), group, scheduledFor, targetId };
}
