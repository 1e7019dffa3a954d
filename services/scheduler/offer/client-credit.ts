import type { DispatcherCredit } from '../ports/dispatchers.ts';
import { bandOf, type SaidPriority } from '../../../shared/domain/job/priority-bands.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/**
 * What was offered so short a time before a read may still be on its way, and is not in what dispatchers say: a message
 * is with its dispatcher within some 40 ms, which says so within 100 ms more.
 */
const underWayMs = 200;

/** What was offered in so short a time is forgotten at once. */
const spentTogetherMs = 20;

interface Spent {
  /** Nothing of it was offered later. */
  untilMs: number;
  byBand: Map<string, number>;
}

export interface ClientCreditDeps {
  /** Jobs per second that all schedulers may offer for the client; undefined: no limit. */
  rateOf: (clientId: string) => number | undefined;
  /** Part of all partitions that is ours, in (0, 1]: that part of the credit is ours too. */
  share: () => number;
}

/**
 * How much of each client may be offered now: what dispatchers take, and what its own rate allows. What exceeds it
 * stays in `jobs`. Dispatchers take each of its bands by itself, so that what is urgent has room beside a backlog; its
 * rate is one.
 */
export interface ClientCredit {
  /**
   * What dispatchers said last.
   * @param askedMs when they were asked: what was offered long enough before that is in their words
   * @returns how many of those that took jobs before do not any more
   */
  refresh(dispatchers: readonly DispatcherCredit[], askedMs: number): number;
  /** False: no dispatcher takes anything. */
  readonly isAny: boolean;
  left(clientId: string, nowMs: number, priority?: SaidPriority): number;
  /** Milliseconds until the client's own rate allows its next job, as that rate is now; 0 if it allows one now. */
  untilRateAllowsMs(clientId: string, nowMs: number): number;
  /** For one job. @returns false when nothing is left */
  spend(clientId: string, nowMs: number, priority?: SaidPriority): boolean;
}

export function createClientCredit({ rateOf, share }: ClientCreditDeps): ClientCredit {
  let dispatchers: readonly DispatcherCredit[] = [];
  /** By band, over all dispatchers; what is not named has the sum of what each gives to any client. */
  let granted = new Map<string, number>();
  let toAnyClient = 0;
  /** By band, what was offered and may be missing in what was said last: their sum, and when it was, oldest first. */
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

  function left(clientId: string, nowMs: number, priority?: SaidPriority): number {
    const band = bandOf(clientId, priority);
    const all = granted.get(band) ?? toAnyClient;
    if (all <= 0) return 0;
    // A scheduler with few partitions is not left without any.
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

  /** Each by its own time: reads that come late, as on a busy machine, must not make it count twice as long. */
  function forgetUntil(untilMs: number): void {
    const isOver = (each: Spent) => each.untilMs <= untilMs;
    for (const { byBand } of spent.filter(isOver)) {
      for (const [band, count] of byBand) addTo(underWay, band, -count);
    }
    spent = spent.filter((each) => !isOver(each));
  }

  return {
    refresh: (next, askedMs) => {
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
      forgetUntil(askedMs - underWayMs);
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
