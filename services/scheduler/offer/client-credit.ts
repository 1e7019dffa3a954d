import type { DispatcherCredit } from '../ports/dispatchers.ts';
import { bandOf, type StoredPriority } from '../../../shared/domain/job/priority-bands.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/** Time until an offer is in its dispatcher's reports: some 40 ms for the message, 100 ms for the report. */
const underWayMs = 200;

/** Offers within this time are forgotten together. */
const spentTogetherMs = 20;

interface Spent {
  /** Upper bound on the time of its offers. */
  untilMs: number;
  byBand: Map<string, number>;
}

export interface ClientCreditDeps {
  /** Jobs per second that all schedulers may offer for the client; undefined: no limit. */
  rateOf: (clientId: string) => number | undefined;
  /** Part of all partitions that this scheduler owns, in (0, 1]. It may use the same part of the credit. */
  share: () => number;
}

/**
 * Credit by client and band: what dispatchers accept, so that urgent jobs have room beside a backlog. The client's rate
 * covers all its bands. Other jobs stay in `jobs`.
 */
export interface ClientCredit {
  /**
   * Stores the latest reports of the dispatchers.
   * @param requestedAtMs time of the read; offers long enough before it are part of the reports
   * @returns number of dispatchers that no longer take jobs
   */
  refresh(dispatchers: readonly DispatcherCredit[], requestedAtMs: number): number;
  /** False if no dispatcher takes jobs. */
  readonly isAny: boolean;
  left(clientId: string, nowMs: number, priority?: StoredPriority): number;
  /** Milliseconds until the client's present rate allows its next job; 0 if it allows one now. */
  untilRateAllowsMs(clientId: string, nowMs: number): number;
  /** Spends the credit for one job. @returns false if no credit is left */
  spend(clientId: string, nowMs: number, priority?: StoredPriority): boolean;
}

export function createClientCredit({ rateOf, share }: ClientCreditDeps): ClientCredit {
  let dispatchers: readonly DispatcherCredit[] = [];
  /** Credit by band, over all dispatchers. Other bands have the sum of what each dispatcher grants to any client. */
  let granted = new Map<string, number>();
  let toAnyClient = 0;
  /** Offers by band that the last reports may not include: their sums here, their times in `spent`, oldest first. */
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
    // At least 1, so that a scheduler with few partitions gets some credit.
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

  /** Forgets offers by their own times, so that late reads on a busy machine do not count them twice as long. */
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
