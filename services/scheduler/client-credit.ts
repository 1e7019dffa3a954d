import type { DispatcherCredit } from './ports/dispatchers.ts';
import { createTokenBucket, type TokenBucket } from './token-bucket.ts';

/**
 * What was offered so short a time before a read may still be on its way, and is not in what dispatchers say: a message
 * is with its dispatcher within some 40 ms, which says so within 100 ms more.
 */
const underWayMs = 200;

export interface ClientCreditDeps {
  /** Jobs per second that all schedulers may offer for the client; undefined: no limit. */
  rateOf: (clientId: string) => number | undefined;
  /** Part of all partitions that is ours, in (0, 1]: that part of the credit is ours too. */
  share: () => number;
}

/**
 * How much of each client may be offered now: what dispatchers take, and what its own rate allows. What exceeds it
 * stays in `jobs`.
 */
export interface ClientCredit {
  /** What dispatchers said last. @returns how many of those that took jobs before do not any more */
  refresh(dispatchers: readonly DispatcherCredit[], nowMs: number): number;
  /** False: no dispatcher takes anything. */
  readonly isAny: boolean;
  left(clientId: string, nowMs: number): number;
  /** For one job. @returns false when nothing is left */
  spend(clientId: string, nowMs: number): boolean;
}

export function createClientCredit({ rateOf, share }: ClientCreditDeps): ClientCredit {
  let dispatchers: readonly DispatcherCredit[] = [];
  /** By client, over all dispatchers; who is not named has the sum of what each gives to any client. */
  let granted = new Map<string, number>();
  let toAnyClient = 0;
  /** By client, since the last read, and before those in whose answers it may be missing. */
  let spent: { untilMs: number; byClient: Map<string, number> }[] = [];
  const buckets = new Map<string, TokenBucket>();

  function tokensOf(clientId: string, nowMs: number): number {
    const rate = rateOf(clientId);
    if (rate === undefined) return Infinity;
    const bucket = buckets.get(clientId) ?? createTokenBucket();
    buckets.set(clientId, bucket);
    return bucket.level(rate * share(), nowMs);
  }

  function left(clientId: string, nowMs: number): number {
    const all = granted.get(clientId) ?? toAnyClient;
    if (all <= 0) return 0;
    // A scheduler with few partitions is not left without any.
    const ours = Math.max(1, Math.floor(all * share()));
    const underWay = spent.reduce((sum, { byClient }) => sum + (byClient.get(clientId) ?? 0), 0);
    return Math.max(0, Math.min(ours - underWay, tokensOf(clientId, nowMs)));
  }

  return {
    refresh: (next, nowMs) => {
      const alive = new Set(next.map(({ owner }) => owner));
      const gone = dispatchers.filter(({ owner }) => !alive.has(owner)).length;
      dispatchers = next;
      toAnyClient = next.reduce((sum, { toAnyClient: each }) => sum + each, 0);
      granted = new Map();
      for (const { toClients, toAnyClient: each } of next) {
        for (const [clientId, credit] of toClients) {
          granted.set(clientId, (granted.get(clientId) ?? toAnyClient) + credit - each);
        }
      }
      const [last] = spent;
      if (last) last.untilMs = nowMs;
      const mayBeUnderWay = spent.filter(({ untilMs }) => untilMs > nowMs - underWayMs);
      spent = [{ untilMs: Infinity, byClient: new Map<string, number>() }, ...mayBeUnderWay];
      return gone;
    },
    get isAny() {
      return dispatchers.length > 0;
    },
    left,
    spend: (clientId, nowMs) => {
      if (left(clientId, nowMs) < 1) return false;
      const [now] = spent;
      now?.byClient.set(clientId, (now.byClient.get(clientId) ?? 0) + 1);
      if (rateOf(clientId) !== undefined) buckets.get(clientId)?.take();
      return true;
    },
  };
}
