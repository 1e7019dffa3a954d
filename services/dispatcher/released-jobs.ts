import { isLate } from './jobs/claimed-jobs.ts';
import { measureEveryMs, type ClaimedJob, type ClientQueue } from './jobs/client-queue.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { RouteLine } from './routes/route-line.ts';

/** Jobs of blocked routes that an outlet releases in a second to find those of other routes: ten for each slot. */
const lookThroughPerSlot = 10;
const leastLookThrough = 100;
const mostLookThrough = 500;
/** Upper bound for all outlets together, per second: each release is a write to the table. */
const mostLookThroughOfAll = 500;
/** Releases per second of an outlet, if the first second's worth of jobs contained only one route. */
const lookThroughInVain = 10;

/** Share of the look-through above and of the client's rate that released jobs may use when they come back. */
const returnedPart = 0.25;
/** Least delay of a released job that expires. Such a job comes back after half of its remaining window. */
const leastBackMs = 100;

/** Claimed job that returns to the table, due again after `delayMs`. */
export interface ReleasedJob {
  job: HeldJob;
  delayMs: number;
}

interface ReturnTerms {
  /** Calls that the outlet may have in flight. */
  slots: number;
  /** Jobs per second that the client's rate lets schedulers send here. */
  ratePerSecond: number;
}

export interface LookedThrough {
  queue: ClientQueue;
  /** Routes with claimed jobs for which no call may begin for long. */
  blocked: ReadonlySet<RouteLine>;
  terms: ReturnTerms;
}

/** Budget of releases of one dispatcher until the next measurement: jobs of blocked routes, over all its outlets. */
export interface LookThroughBudget {
  /**
   * Yields claimed jobs to release, so that the jobs behind them are found. Outlets that were looked through longest
   * ago come first, and the rest of the budget is shared evenly.
   */
  spend(outlets: readonly LookedThrough[], nowMs: number): Iterable<[LookedThrough, ClaimedJob]>;
  renew(): void;
}

export function createLookThroughBudget(): LookThroughBudget {
  const whole = inOneMeasure(mostLookThroughOfAll);
  let left = whole;
  return {
    spend: function* (outlets, nowMs) {
      let others = outlets.length;
      for (const outlet of outlets.toSorted((a, b) => a.queue.lookedAtMs - b.queue.lookedAtMs)) {
        if (left <= 0) return;
        const share = Math.ceil(left / others--);
        for (const claimed of lookThrough(outlet, share)) {
          left--;
          outlet.queue.lookedAtMs = nowMs;
          yield [outlet, claimed];
        }
      }
    },
    renew: () => {
      left = whole;
    },
  };
}

/**
 * Yields the claimed jobs that wait too long, or whose route will not be called for long. The caller removes each from
 * its queue before it requests the next one.
 */
export function* jobsToRelease(
  outlets: readonly LookedThrough[],
  budget: LookThroughBudget,
  nowMs: number,
): Iterable<[LookedThrough, ClaimedJob]> {
  const withBlocked = outlets.filter(({ blocked }) => blocked.size > 0);
  yield* budget.spend(withBlocked, nowMs);
  for (const outlet of outlets) {
    const { claimed } = outlet.queue;
    if (outlet.blocked.size === 0) outlet.queue.lookedInVain = 0;
    for (let [first] = claimed; first && isLate(first, nowMs); [first] = claimed) yield [outlet, first];
  }
}

/** Yields one job at a time: no more follow once the released ones have filled the room for jobs that come back. */
function* lookThrough({ queue, blocked, terms }: LookedThrough, share: number): Iterable<ClaimedJob> {
  const [line] = blocked;
  if (!line) return;
  const perSecond = lookThroughPerSecond(terms.slots);
  const isOnly = blocked.size === 1 && queue.routes.isAlone(line);
  if (!isOnly) queue.lookedInVain = 0;
  const isInVain = queue.lookedInVain >= perSecond;
  const most = Math.min(share, inOneMeasure(isInVain ? lookThroughInVain : perSecond) - queue.lookedThrough);
  if (most <= 0) return;
  let released = 0;
  for (const claimed of queue.claimed.filter((each) => blocked.has(each.line))) {
    if (released >= most) return;
    if (queue.routes.isReturnFull(claimed.line, returnedPerSecond(terms))) continue;
    released++;
    queue.lookedThrough++;
    queue.lookedInVain++;
    yield claimed;
  }
}

function inOneMeasure(perSecond: number): number {
  return Math.ceil((perSecond * measureEveryMs) / 1000);
}

/**
 * Returns after how many milliseconds a released job is due again: at once, unless its route is blocked. Jobs that come
 * back leave most of the rate to others, because each is sent again. A job that expires comes back while it is still
 * worth calling.
 */
export function releaseDelayMs(
  { queue, blocked, terms }: LookedThrough,
  { job, line }: ClaimedJob,
  nowMs: number,
): number {
  if (!blocked.has(line)) return 0;
  return Math.min(
    queue.routes.backInMs(line, terms.slots, returnedPerSecond(terms)),
    Math.max(leastBackMs, (job.expiresAtMs - nowMs) / 2),
  );
}

function returnedPerSecond({ slots, ratePerSecond }: ReturnTerms): number {
  return returnedPart * Math.min(lookThroughPerSecond(slots), ratePerSecond);
}

function lookThroughPerSecond(slots: number): number {
  return Math.min(mostLookThrough, Math.max(leastLookThrough, lookThroughPerSlot * slots));
}
