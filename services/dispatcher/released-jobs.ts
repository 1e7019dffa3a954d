import { isLate } from './jobs/claimed-jobs.ts';
import { measureEveryMs, type ClaimedJob, type ClientQueue } from './jobs/client-queue.ts';
import type { HeldJob } from './jobs/held-job.ts';
import type { RouteLine } from './routes/route-line.ts';

/**
 * Number of claimed jobs of blocked routes that an endpoint may release per second and slot. Each release makes room to
 * claim a job of another route, which may be behind them in the queue.
 */
const releasesPerSlot = 10;
const minReleases = 100;
const maxReleases = 500;
/**
 * Maximum number of such releases per second, over all endpoints. The number is bounded, because each release is a
 * write to the database.
 */
const maxReleasesOfAll = 500;
/**
 * Number of such releases per second for an endpoint that has released jobs for a second without finding a second
 * route.
 */
const releasesInVain = 10;

/**
 * Share of the endpoint's releases per second, and of the client's rate limit, that released jobs may use up when they
 * are due again.
 */
const returnedPart = 0.25;
/**
 * Minimum delay in milliseconds of a released job that has an expiry. Such a job is due again after half of the time
 * that is left until its expiry.
 */
const leastBackMs = 100;

/** A claimed job that is released in the database without a call. It is due again after `delayMs`. */
export interface ReleasedJob {
  job: HeldJob;
  delayMs: number;
}

interface ReturnTerms {
  /** Calls that the endpoint may have in flight. */
  slots: number;
  /** Maximum number of jobs per second that schedulers may send to this dispatcher under the client's rate limit. */
  ratePerSecond: number;
}

export interface ReleasingEndpoint {
  queue: ClientQueue;
  /** Routes with claimed jobs to which no call may begin for a long time. */
  blocked: ReadonlySet<RouteLine>;
  terms: ReturnTerms;
}

/**
 * Number of jobs of blocked routes that a dispatcher may still release until the next measurement, over all its
 * endpoints.
 */
export interface ReleaseBudget {
  /**
   * Yields claimed jobs to release, so that jobs of other routes can be claimed. Endpoints whose last release was
   * longest ago come first. The rest of the budget is shared evenly.
   */
  spend(endpoints: readonly ReleasingEndpoint[], nowMs: number): Iterable<[ReleasingEndpoint, ClaimedJob]>;
  renew(): void;
}

export function createReleaseBudget(): ReleaseBudget {
  const whole = inOneMeasure(maxReleasesOfAll);
  let left = whole;
  return {
    spend: function* (endpoints, nowMs) {
      let others = endpoints.length;
      for (const endpoint of endpoints.toSorted((a, b) => a.queue.releasedAtMs - b.queue.releasedAtMs)) {
        if (left <= 0) return;
        const share = Math.ceil(left / others--);
        for (const claimed of releasableJobs(endpoint, share)) {
          left--;
          endpoint.queue.releasedAtMs = nowMs;
          yield [endpoint, claimed];
        }
      }
    },
    renew: () => {
      left = whole;
    },
  };
}

/**
 * Yields the claimed jobs that have waited too long, or whose route will not permit a call for a long time. The caller
 * must remove each job from its queue before it requests the next one.
 */
export function* jobsToRelease(
  endpoints: readonly ReleasingEndpoint[],
  budget: ReleaseBudget,
  nowMs: number,
): Iterable<[ReleasingEndpoint, ClaimedJob]> {
  const withBlocked = endpoints.filter(({ blocked }) => blocked.size > 0);
  yield* budget.spend(withBlocked, nowMs);
  for (const endpoint of endpoints) {
    const { claimed } = endpoint.queue;
    if (endpoint.blocked.size === 0) endpoint.queue.releasedWithoutOtherRoute = 0;
    for (let [first] = claimed; first && isLate(first, nowMs); [first] = claimed) yield [endpoint, first];
  }
}

/**
 * Yields jobs of blocked routes, one at a time. Skips the job if its route already has as many released jobs as can be
 * due again within the maximum delay.
 */
function* releasableJobs({ queue, blocked, terms }: ReleasingEndpoint, share: number): Iterable<ClaimedJob> {
  const [line] = blocked;
  if (!line) return;
  const perSecond = releasesPerSecond(terms.slots);
  const isOnly = blocked.size === 1 && queue.routes.isAlone(line);
  if (!isOnly) queue.releasedWithoutOtherRoute = 0;
  const isInVain = queue.releasedWithoutOtherRoute >= perSecond;
  const most = Math.min(share, inOneMeasure(isInVain ? releasesInVain : perSecond) - queue.releasedBlocked);
  if (most <= 0) return;
  let released = 0;
  for (const claimed of queue.claimed.filter((each) => blocked.has(each.line))) {
    if (released >= most) return;
    if (queue.routes.isReturnFull(claimed.line, returnedPerSecond(terms))) continue;
    released++;
    queue.releasedBlocked++;
    queue.releasedWithoutOtherRoute++;
    yield claimed;
  }
}

function inOneMeasure(perSecond: number): number {
  return Math.ceil((perSecond * measureEveryMs) / 1000);
}

/**
 * Returns the delay in milliseconds after which a released job is due again. The delay is 0 unless the job's route is
 * blocked. Released jobs use only a part of the client's rate, because a scheduler sends each of them to a dispatcher
 * again. A job that expires is due early enough to be called before.
 */
export function releaseDelayMs(
  { queue, blocked, terms }: ReleasingEndpoint,
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
  return returnedPart * Math.min(releasesPerSecond(slots), ratePerSecond);
}

function releasesPerSecond(slots: number): number {
  return Math.min(maxReleases, Math.max(minReleases, releasesPerSlot * slots));
}
