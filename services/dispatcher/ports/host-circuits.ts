import type { ClaimedJob } from './call-ledger.ts';

export interface HostKey {
  clientId: string;
  /** Host and port, and the path prefix if the client names one. `*`: all hosts of the client. */
  host: string;
}

/**
 * Circuit breaker of a host.
 * - `open`: the host's jobs are sidelined. From time to time, a dispatcher calls one of them as a probe.
 * - `closing`: the host has answered. Dispatchers release its sidelined jobs, each second more of them.
 * - `disabled`: dispatchers make no probes until a person enables the host.
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
 * Result of `takeProbe`. `job`: a job to call. `nothing-waits`: no sidelined job is left. `not-now`: the probe is not
 * due yet, or another dispatcher has taken it.
 */
export type Probe = { kind: 'job'; job: ClaimedJob } | { kind: 'nothing-waits' } | { kind: 'not-now' };

/** Circuits of hosts, shared by all dispatchers. The circuit of a host without a row is closed. */
export interface HostCircuits {
  read(): Promise<HostCircuit[]>;
  /** Opens a closed or closing circuit. Does not change a circuit that is open or disabled. */
  open(key: HostKey, cause: string, nextInMs: number): Promise<void>;
  /** Disables the host until a person enables it. */
  disable(key: HostKey, cause: string): Promise<void>;
  /**
   * Takes the probe of a host with an open circuit, if the probe is due. The caller then holds a claim, for `leaseMs`,
   * on the sidelined job with the fewest attempts and probes. The next probe is due after `nextInMs`, and uses another
   * job.
   */
  takeProbe(key: HostKey, nextInMs: number, leaseMs: number): Promise<Probe>;
  /**
   * Begins to release the sidelined jobs. Called when the host answers, or when the reason for disabling the host no
   * longer exists.
   */
  beginClosing(key: HostKey): Promise<void>;
  /**
   * Makes up to `count` of the host's sidelined jobs due now; jobs with the fewest attempts and probes come first. Does
   * nothing if jobs were released within the last second. Removes the circuit if no sidelined jobs are left.
   * @returns the number of released jobs; null if nothing was done, because another dispatcher has just released jobs
   */
  releaseSidelined(key: HostKey, count: number): Promise<number | null>;
  /** Ends up to `limit` jobs that expired while they were sidelined. Returns the number of ended jobs. */
  expire(key: HostKey, limit: number): Promise<number>;
  /**
   * Begins to release the jobs of hosts whose circuit was removed while a job was being sidelined. Returns the number
   * of hosts.
   */
  closeOrphanedHosts(): Promise<number>;
}
