import { mailAddressOf, mailDomainOf, mailScheme } from '../../../shared/contracts/notifications/notification-urls.ts';
import { topicOf } from '../../../shared/contracts/jobs/topic-urls.ts';
import { callRouteOf } from '../routes/call-route.ts';
import type { ClaimedJob } from '../ports/call-ledger.ts';

/** Claimed job as this process holds it. Times are monotonic. */
export interface HeldJob extends ClaimedJob {
  /**
   * Host and port of its URL, without the default port of https; `@` and the domain of an e-mail address; or `kafka:`
   * and a topic. Empty if the URL is none of these.
   */
  host: string;
  /** Scheme, host and port; `mailto:` for an e-mail, the whole URL for a topic. */
  origin: string;
  /** Rest of the URL, without a fragment. */
  path: string;
  /** Host and first words of the path; only the host if the call is not made over HTTP. */
  route: string;
  leaseMs: number;
  /** Time from which another dispatcher may claim it. */
  leaseUntilMs: number;
  /** Time by which the call of a job with an ordering key must have ended. Infinite if only the lease applies. */
  aloneUntilMs: number;
  /** Time at which the job expires; infinite if it never does. */
  expiresAtMs: number;
  /**
   * Milliseconds by which the database's clock is ahead of the local monotonic one. The local wall clock may be wrong
   * by hours, and signed times must be right.
   */
  clockAheadMs: number;
  /** Circuit that this call probes: the one call that a host gets while its circuit is open. */
  probeOf: string | null;
}

/** @param requestedAtMs time of the claim request: the database cannot have begun the lease earlier */
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
    aloneUntilMs: claim.aloneMs === null ? Infinity : requestedAtMs + claim.aloneMs,
    expiresAtMs,
    clockAheadMs,
    probeOf,
  };
}

/** Returns the number of this call: earlier owners may have called under the same id. */
export function attemptOf({ attempt, epoch }: Pick<HeldJob, 'attempt' | 'epoch'>): number {
  return attempt + epoch - 1;
}

/** Returns the monotonic time by which a call of the job must have ended. */
export function heldUntilMs({ leaseUntilMs, aloneUntilMs }: HeldJob): number {
  return Math.min(leaseUntilMs, aloneUntilMs);
}

/**
 * Returns the name of the circuit of a job's host: host and port of its URL and, if the client names path prefixes, the
 * longest one that fits. A prefix fits whole elements of a path: `/shop` fits `/shop` and `/shop/7`, not `/shops`.
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

/** Returns the host with its port. Two origins of one host are two servers: answers over http do not apply to https. */
function hostOf({ protocol, host, port }: URL): string {
  return protocol === 'http:' && port === '' ? `${host}:80` : host;
}
