import type { ClaimedJob } from './ports/call-ledger.ts';

/** A claimed job as this process holds it. Times by the monotonic clock. */
export interface HeldJob extends ClaimedJob {
  /** Host and port of its URL, only https's own port left out; nothing where that is none. */
  host: string;
  /** Scheme, host and port. */
  origin: string;
  /** What comes behind them, without a fragment. */
  path: string;
  /** How long its claim lasts. */
  leaseMs: number;
  /** From then on another may claim it. */
  leaseUntilMs: number;
  /** From then on it is not worth calling; infinite when it always is. */
  expiresAtMs: number;
  /**
   * By how much the database's clock is ahead of our monotonic one: ours may be wrong by hours, and what is signed must
   * not be.
   */
  clockAheadMs: number;
  /** What this call tries, as its circuit names it: the one call that a host gets while it is left alone. */
  probeOf: string | null;
}

/** @param askedMs when the claim was asked for: the database cannot have begun the lease earlier */
export function heldJobOf(claim: ClaimedJob, askedMs: number, leaseMs: number, probeOf: string | null = null): HeldJob {
  const expiresAtMs = claim.expiresInMs === null ? Infinity : askedMs + claim.expiresInMs;
  const target = URL.parse(claim.url);
  const [origin, path] = target ? [target.origin, target.pathname + target.search] : ['', ''];
  const clockAheadMs = claim.claimedAtMs - askedMs;
  const host = target ? hostOf(target) : '';
  return { ...claim, host, origin, path, leaseMs, leaseUntilMs: askedMs + leaseMs, expiresAtMs, clockAheadMs, probeOf };
}

/** Two origins of one host are two servers: what answers http says nothing of https. */
function hostOf({ protocol, host, port }: URL): string {
  return protocol === 'http:' && port === '' ? `${host}:80` : host;
}
