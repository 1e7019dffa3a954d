import { isLate } from './jobs/claimed-jobs.ts';
import { measureEveryMs, type ClaimedJob, type ClientQueue } from './jobs/client-queue.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { RouteLine } from './routes/route-line.ts';

/** Jobs of blocked routes that an outlet releases in a second, to find those of others: ten for each slot. */
const lookThroughPerSlot = 10;
const leastLookThrough = 100;
const mostLookThrough = 500;
/** The same for all outlets together, as each release is a write to the table. */
const mostLookThroughOfAll = 500;
/** The same for an outlet of which only one route was found in the first second's worth of jobs. */
const lookThroughInVain = 10;

/** Share of the look-through above and of the client's rate that released jobs may have when they come back. */
const returnedPart = 0.25;
/** A released job that expires comes back in half of what is left of its window, and not sooner than this. */
const leastBackMs = 100;

/** A claimed job that goes back to the table, due again after this time. */
export interface ReleasedJob {
  job: HeldJob;
  delayMs: number;
}

interface ReturnTerms {
  /** Calls that the outlet may have in flight. */
  slots: number;
  /** Jobs that may be sent here in a second by the client's rate. */
  ratePerSecond: number;
}

/** An outlet whose claimed jobs are looked through. */
export interface LookedThrough {
  queue: ClientQueue;
  /** Routes with claimed jobs of which no call may begin for long. */
  blocked: ReadonlySet<RouteLine>;
  terms: ReturnTerms;
}

/** The jobs of blocked routes that one dispatcher may release until the next measurement, of all its outlets. */
export interface LookThroughBudget {
  /**
   * Yields claimed jobs that are to be released: what stands behind them is found as fast as they go. Outlets that
   * were looked through longest ago come first, and each leaves as much to each other one.
   */
  spend(outlets: readonly LookedThrough[], nowMs: number): Iterable<[LookedThrough, ClaimedJob]>;
  /** Reports a measurement: from now on as much may be spent again. */
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
 * Yields the claimed jobs that wait too long, or whose route will not be called for long. The caller takes each out of
 * its queue before it asks for the next one.
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

/** Yields one job after the other: where the release of one ends the room for those that come back, no more follow. */
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
 * Returns after how long a released job is due again: at once, unless its route is blocked. Those that come back leave
 * most of the rate to other jobs, because each is sent anew. One that expires comes back while it is worth calling.
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
