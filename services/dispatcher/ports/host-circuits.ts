import type { ClaimedJob } from './call-ledger.ts';

export interface HostKey {
  clientId: string;
  /** Host and port, and the path prefix if the client names one. `*`: all hosts of the client. */
  host: string;
}

/**
 * Circuit breaker of a host.
 * - `open`: the host's jobs are sidelined. From time to time, one of them is called as a probe.
 * - `closing`: the host answered. Sidelined jobs are released, more each second.
 * - `disabled`: no probes are made until a person enables the host.
 */
export interface HostCircuit extends HostKey {
  state: 'open' | 'closing' | 'disabled';
  /**
   * Milliseconds until the next probe (open) or release of jobs (closing), by the database's clock; 0 or less if due.
   */
  nextInMs: number;
  /** If open: milliseconds since the circuit first opened. If closing: milliseconds since the host answered. */
  sinceMs: number;
}

/**
 * Result of `takeProbe`: a job to call; or no sidelined job is left; or the probe is not due, because another
 * dispatcher has taken it.
 */
export type Probe = { kind: 'job'; job: ClaimedJob } | { kind: 'nothing-waits' } | { kind: 'not-now' };

/** Circuits of hosts, shared by all dispatchers. A host without a row is closed. */
export interface HostCircuits {
  read(): Promise<HostCircuit[]>;
  /** Opens the circuit, also if it is closing. An open or disabled circuit is unchanged. */
  open(key: HostKey, cause: string, nextInMs: number): Promise<void>;
  /** Disables the host until a person enables it. */
  disable(key: HostKey, cause: string): Promise<void>;
  /**
   * Takes the probe of a host with an open circuit, if it is due: claims, for `leaseMs`, the sidelined job with the
   * fewest attempts and probes. The next probe follows after `nextInMs`, with another job.
   */
  takeProbe(key: HostKey, nextInMs: number, leaseMs: number): Promise<Probe>;
  /**
   * Begins to release the sidelined jobs. Called when the host answers, or when the reason for disabling the host has
   * ended.
   */
  beginClosing(key: HostKey): Promise<void>;
  /**
   * Makes up to `count` of the host's sidelined jobs due now; jobs with the fewest attempts and probes come first. Does
   * nothing if jobs were released within the last second. Removes the circuit if no sidelined jobs are left.
   * @returns the number of released jobs; null if nothing was done, because another dispatcher has just released jobs
   */
  releaseSidelined(key: HostKey, count: number): Promise<number | null>;
  /** Ends up to `limit` jobs that expired while they were sidelined. Returns their number. */
  expire(key: HostKey, limit: number): Promise<number>;
  /**
   * Begins to release the jobs of hosts whose circuit was removed while a job was being sidelined. Returns the number
   * of hosts.
   */
  closeOrphanedHosts(): Promise<number>;
}
