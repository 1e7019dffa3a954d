import { publicId } from '../../../shared/domain/ids/ids.ts';
import type { SkipCause } from '../../../shared/domain/recurrence/policies.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { BrokenSchedule } from '../../../shared/contracts/schedules/kept-schedules.ts';
import { schedulerMetrics } from '../report/metrics.ts';
import { recordFired, type FiredTracesDeps } from './fired-traces.ts';
import type { DueSchedules, FiredOccurrence, SchedulerNode } from '../ports/due-schedules.ts';

/**
 * Maximum number of schedules per transaction. In a transaction with a hundred schedules, half of the cost still does
 * not depend on their number.
 */
const maxSchedules = 500;

export interface RecurSchedulesDeps extends FiredTracesDeps {
  dueSchedules: DueSchedules;
  node: SchedulerNode;
  /** Milliseconds until the next attempt, if schedules are due that this process could not take. */
  pollMs: number;
  /**
   * Returns the longest wait in milliseconds until the next scan. A schedule that is created meanwhile may be due
   * before all schedules that are known.
   */
  longestPollMs: () => number;
  /** Called when an occurrence was buffered because it must wait until the previous fire has ended. */
  onBuffered: () => void;
  /** Returns true if notifications are received at present. */
  isNotified: () => boolean;
  /**
   * Returns true if this node is the leader. Only one node per region decides schedules; other nodes would only wait
   * for its row locks.
   */
  isLeading: () => boolean;
  logger: Logger;
  figures: ScheduleFigures;
}

export interface ScheduleFigures {
  fired: (occurrences: number) => void;
  skipped: (cause: SkipCause, instants: number) => void;
  /**
   * Receives the number of broken schedules after each examination of all schedules. A node that is not the leader
   * reports 0.
   */
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

/** Fires due occurrences. Returns the milliseconds after which the caller calls this function again. */
export async function recurSchedules(deps: RecurSchedulesDeps): Promise<number> {
  const { dueSchedules, node, pollMs, isLeading, logger, figures } = deps;
  if (!isLeading()) return deps.longestPollMs();

  const beganMs = deps.clock.monotonicMs();
  const recurred = await dueSchedules.recur(node, maxSchedules);
  const { fired, buffered, skipped, ended, broken, examined, nextCheckInMs } = recurred;
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
  if (examined === maxSchedules) return 0;
  // The due schedules could not be taken: another node has locked them, or this region is switched off.
  return examined === 0 && nextCheckInMs === 0 ? pollMs : Math.min(nextCheckInMs ?? Infinity, deps.longestPollMs());
}

/**
 * Interval in milliseconds between two checks of buffered occurrences. The scheduler must poll, because no event
 * reports the end of a job or a run.
 */
const bufferedPollMs = 1000;
/**
 * Interval in milliseconds while no occurrence is buffered. It is longer, because a new buffered occurrence causes a
 * notification.
 */
const noneBufferedPollMs = 5000;

export async function fireBuffered(deps: RecurSchedulesDeps): Promise<number> {
  const { dueSchedules, node, isLeading, logger, figures } = deps;
  if (!isLeading()) return bufferedPollMs;
  const beganMs = deps.clock.monotonicMs();
  const { fired, broken, isAny } = await dueSchedules.fireBuffered(node, maxSchedules);
  figures.fired(fired.length);
  recordFired(fired, beganMs, deps);
  for (const occurrence of fired) logger.info(factsOf(occurrence), 'occurrence fired that had waited');
  logBroken(logger, broken);
  return isAny || !deps.isNotified() ? bufferedPollMs : noneBufferedPollMs;
}

/** Interval in milliseconds at which all schedules are examined, page by page. */
const rearmEveryMs = 60_000;
const rearmPage = 500;

/**
 * Creates the function that repairs schedules without a next scan, which should not exist. The function also finds
 * unreadable schedules before they are due.
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
    if (page.repaired > 0)
      logger.warn({ schedules: page.repaired }, 'schedules had no time to be looked at, armed again');
    return cursor === null ? rearmEveryMs : 0;
  };
}

const forgetEveryMs = 3_600_000;
/** Pause in milliseconds between two statements while more rows have to be deleted. */
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
