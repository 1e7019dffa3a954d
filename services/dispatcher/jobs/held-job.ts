import { mailAddressOf, mailDomainOf, mailScheme } from '../../../shared/contracts/webhooks/notice-urls.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { callRouteOf } from '../routes/call-route.ts';
import type { ClaimedJob } from '../ports/call-ledger.ts';

/** A claimed job as this process holds it. Times by the monotonic clock. */
export interface HeldJob extends ClaimedJob {
  /**
   * Host and port of its URL, only https's own port left out, or `@` and the domain of an address, or `kafka:` and
   * a topic; nothing where that is none.
   */
  host: string;
  /** Scheme, host and port; `mailto:` of an e-mail, all of a topic’s. */
  origin: string;
  /** What comes behind them, without a fragment. */
  path: string;
  /** Host and first words of the path; only the host if the call is not made over HTTP. */
  route: string;
  /** How long its claim lasts. */
  leaseMs: number;
  /** From then on another may claim it. */
  leaseUntilMs: number;
  /** Of one with an ordering key: by then its call has to be over. Infinite where its lease says so. */
  aloneUntilMs: number;
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
  const clockAheadMs = claim.claimedAtMs - askedMs;
  return {
    ...claim,
    ...targetOf(claim.url),
    leaseMs,
    leaseUntilMs: askedMs + leaseMs,
    aloneUntilMs: claim.aloneMs === null ? Infinity : askedMs + claim.aloneMs,
    expiresAtMs,
    clockAheadMs,
    probeOf,
  };
}

/** The number of this call: the owners before may have called, under this id. */
export function attemptOf({ attempt, epoch }: Pick<HeldJob, 'attempt' | 'epoch'>): number {
  return attempt + epoch - 1;
}

/** Returns the time by which a call of the job has to be over, by the monotonic clock. */
export function heldUntilMs({ leaseUntilMs, aloneUntilMs }: HeldJob): number {
  return Math.min(leaseUntilMs, aloneUntilMs);
}

/**
 * Under which name a job's host is put aside: host and port of its URL and, where the client names path prefixes, the
 * longest of these that fits. A prefix fits whole elements of a path: `/shop` fits `/shop` and `/shop/7`, not `/shops`.
 */
export function circuitHostOf({ host, path }: Pick<HeldJob, 'host' | 'path'>, pathPrefixes: readonly string[]): string {
  if (pathPrefixes.length === 0) return host;
  const elements = `${path.split('?', 1)[0] ?? ''}/`;
  const fitting = pathPrefixes.filter((prefix) => elements.startsWith(`${prefix}/`));
  return host + fitting.reduce((longest, prefix) => (prefix.length > longest.length ? prefix : longest), '');
}

function targetOf(url: string): Pick<HeldJob, 'host' | 'origin' | 'path' | 'route'> {
  const address = mailAddressOf(url);
  if (address !== undefined) {
    const host = `@${mailDomainOf(address)}`;
    return { host, origin: mailScheme, path: address, route: host };
  }
  if (topicOf(url) !== undefined) return { host: url, origin: url, path: '', route: url };
  const target = URL.parse(url);
  if (!target) return { host: '', origin: '', path: '', route: '' };
  const { origin, pathname, search } = target;
  const host = hostOf(target);
  return { host, origin, path: pathname + search, route: callRouteOf(host, pathname) };
}

/** Two origins of one host are two servers: what answers http says nothing of https. */
function hostOf({ protocol, host, port }: URL): string {
  return protocol === 'http:' && port === '' ? `${host}:80` : host;
}
