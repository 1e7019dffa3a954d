import type { DispatcherCredit } from '../ports/dispatchers.ts';
import { bandOf, type StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/**
 * Maximum time in milliseconds until a dispatcher's report includes an offered job: about 40 ms for the message, and
 * 100 ms until the next report.
 */
const underWayMs = 200;

/** Offers that are made within this time in milliseconds share one entry, and are removed together. */
const spentTogetherMs = 20;

interface Spent {
  /** End of the time that the entry covers. All its offers are earlier. */
  untilMs: number;
  byBand: Map<string, number>;
}

export interface ClientCreditDeps {
  /** Jobs per second that all schedulers together may offer for the client; undefined without a limit. */
  rateOf: (clientId: string) => number | undefined;
  /**
   * Returns the part of all partitions that this scheduler owns, in (0, 1]. The scheduler may use the same part of the
   * credit.
   */
  share: () => number;
}

/**
 * Credit of this scheduler: how many more jobs the dispatchers accept from it. Each band (a client and a priority) has
 * its own credit, so that urgent jobs are accepted despite a backlog. A client's rate limit applies to all its bands
 * together. Jobs without credit stay in the table `jobs`.
 */
export interface ClientCredit {
  /**
   * Stores the latest reports of the dispatchers.
   * @param requestedAtMs time at which the reports were requested. They include all offers that were made at least
   * `underWayMs` before.
   * @returns number of dispatchers that no longer accept jobs
   */
  refresh(dispatchers: readonly DispatcherCredit[], requestedAtMs: number): number;
  /** False if no dispatcher accepts jobs. */
  readonly isAny: boolean;
  left(clientId: string, nowMs: number, priority?: StoredPriority): number;
  /** Returns the milliseconds until the client's rate limit permits the next job; 0 if it permits one now. */
  untilRateAllowsMs(clientId: string, nowMs: number): number;
  /** Spends the credit for one job. @returns false if no credit is left */
  spend(clientId: string, nowMs: number, priority?: StoredPriority): boolean;
}

export function createClientCredit({ rateOf, share }: ClientCreditDeps): ClientCredit {
  let dispatchers: readonly DispatcherCredit[] = [];
  /**
   * Credit by band (a client and a priority), over all dispatchers. Bands that are not in the map have `toAnyClient`.
   */
  let granted = new Map<string, number>();
  let toAnyClient = 0;
  /**
   * By band, the number of offers that the last reports may not include yet. `spent` contains the same offers by time,
   * oldest first.
   */
  const underWay = new Map<string, number>();
  let spent: Spent[] = [];
  const buckets = new Map<string, TokenBucket>();

  function tokensOf(clientId: string, nowMs: number): number {
    const rate = rateOf(clientId);
    return rate === undefined ? Infinity : bucketOf(clientId).level(rate * share(), nowMs);
  }

  function bucketOf(clientId: string): TokenBucket {
    const bucket = buckets.get(clientId) ?? createTokenBucket();
    buckets.set(clientId, bucket);
    return bucket;
  }

  function untilRateAllowsMs(clientId: string, nowMs: number): number {
    const rate = rateOf(clientId);
    if (rate === undefined || tokensOf(clientId, nowMs) > 0) return 0;
    return bucketOf(clientId).untilNextMs(rate * share());
  }

  function left(clientId: string, nowMs: number, priority?: StoredPriority): number {
    const band = bandOf(clientId, priority);
    const all = granted.get(band) ?? toAnyClient;
    if (all <= 0) return 0;
    // The result is at least 1, so that a scheduler with few partitions also gets some credit.
    const ours = Math.max(1, Math.floor(all * share()));
    return Math.max(0, Math.min(ours - (underWay.get(band) ?? 0), tokensOf(clientId, nowMs)));
  }

  function note(band: string, nowMs: number): void {
    let last = spent.at(-1);
    if (!last || last.untilMs <= nowMs) {
      last = { untilMs: nowMs + spentTogetherMs, byBand: new Map<string, number>() };
      spent.push(last);
    }
    addTo(last.byBand, band, 1);
    addTo(underWay, band, 1);
  }

  /**
   * Removes the offers that the reports include by now. Their age decides, not the arrival of the reports, so that a
   * busy machine that reads reports late does not count offers for longer.
   */
  function forgetUntil(untilMs: number): void {
    const isOver = (each: Spent) => each.untilMs <= untilMs;
    for (const { byBand } of spent.filter(isOver)) {
      for (const [band, count] of byBand) addTo(underWay, band, -count);
    }
    spent = spent.filter((each) => !isOver(each));
  }

  return {
    refresh: (next, requestedAtMs) => {
      const alive = new Set(next.map(({ owner }) => owner));
      const gone = dispatchers.filter(({ owner }) => !alive.has(owner)).length;
      dispatchers = next;
      toAnyClient = next.reduce((sum, { toAnyClient: each }) => sum + each, 0);
      granted = new Map();
      for (const { toClients, toAnyClient: each } of next) {
        for (const [band, credit] of toClients) {
          granted.set(band, (granted.get(band) ?? toAnyClient) + credit - each);
        }
      }
      forgetUntil(requestedAtMs - underWayMs);
      return gone;
    },
    get isAny() {
      return dispatchers.length > 0;
    },
    left,
    untilRateAllowsMs,
    spend: (clientId, nowMs, priority) => {
      if (left(clientId, nowMs, priority) < 1) return false;
      note(bandOf(clientId, priority), nowMs);
      if (rateOf(clientId) !== undefined) buckets.get(clientId)?.take();
      return true;
    },
  };
}

function addTo(counts: Map<string, number>, clientId: string, count: number): void {
  const sum = (counts.get(clientId) ?? 0) + count;
  if (sum > 0) counts.set(clientId, sum);
  else counts.delete(clientId);
}
