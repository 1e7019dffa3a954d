import { mailAddressOf, mailDomainOf, mailScheme } from '../../../shared/contracts/notifications/notification-urls.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { callRouteOf } from '../routes/call-route.ts';
import type { ClaimedJob } from '../ports/call-ledger.ts';

/** A claimed job in the memory of this process. Times are monotonic unless noted otherwise. */
export interface HeldJob extends ClaimedJob {
  /**
   * Host and port of the job's URL. The default port of https is omitted. For an e-mail: `@` and the domain of the
   * address. For Kafka: `kafka:` and the topic. Empty if the URL is none of these.
   */
  host: string;
  /** Scheme, host and port; `mailto:` for an e-mail, the whole URL for a topic. */
  origin: string;
  /** Rest of the URL, without a fragment. */
  path: string;
  /**
   * Route of the call: the host and the first elements of the path. For a call that is not made over HTTP: the host.
   */
  route: string;
  leaseMs: number;
  /** Time from which another dispatcher may claim the job. */
  leaseUntilMs: number;
  /**
   * Time by which the call of a job with an ordering key must have ended; infinite if only the lease limits the call.
   */
  exclusiveUntilMs: number;
  /** Time at which the job expires; infinite if it never does. */
  expiresAtMs: number;
  /**
   * Milliseconds by which the database's clock is ahead of the local monotonic clock. The local wall clock is not used,
   * because it may be wrong by hours, and timestamps in signatures must be right.
   */
  clockAheadMs: number;
  /**
   * Name of the circuit that this call probes; null if the call is no probe. While a circuit is open, its host receives
   * only probes.
   */
  probeOf: string | null;
}

/**
 * Creates a held job from a claim.
 * @param requestedAtMs monotonic time at which the claim was requested; the lease in the database does not begin
 * earlier
 */
export function heldJobOf(
  claim: ClaimedJob,
  requestedAtMs: number,
  leaseMs: number,
  probeOf: string | null = null,
): HeldJob {
  const expiresAtMs = claim.expiresInMs === null ? Infinity : requestedAtMs + claim.expiresInMs;
  const clockAheadMs = claim.claimedAtMs - requestedAtMs;
  return {
    ...claim,
    ...targetOf(claim.url),
    leaseMs,
    leaseUntilMs: requestedAtMs + leaseMs,
    exclusiveUntilMs: claim.exclusiveMs === null ? Infinity : requestedAtMs + claim.exclusiveMs,
    expiresAtMs,
    clockAheadMs,
    probeOf,
  };
}

/**
 * Returns the number of this call of the job. The number also depends on the epoch, because an earlier owner of the job
 * may have made a call with the same attempt number.
 */
export function attemptOf({ attempt, epoch }: Pick<HeldJob, 'attempt' | 'epoch'>): number {
  return attempt + epoch - 1;
}

/** Returns the monotonic time by which a call of the job must have ended. */
export function heldUntilMs({ leaseUntilMs, exclusiveUntilMs }: HeldJob): number {
  return Math.min(leaseUntilMs, exclusiveUntilMs);
}

/**
 * Returns the name of the circuit for a job's host: the host and port of its URL. If the client has configured path
 * prefixes, the longest prefix that matches is appended. A prefix matches whole elements of a path: `/shop` matches
 * `/shop` and `/shop/7`, but not `/shops`.
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

/**
 * Returns the host with its port. The default port of http is included, the one of https is not: the two may be
 * different servers, so they need different circuits.
 */
function hostOf({ protocol, host, port }: URL): string {
  return protocol === 'http:' && port === '' ? `${host}:80` : host;
}
