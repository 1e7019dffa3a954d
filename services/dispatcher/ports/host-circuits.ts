import type { ClaimedJob } from './call-ledger.ts';

export interface HostKey {
  clientId: string;
  /** Host and port, and the path prefix if the client names one. `*`: all hosts of the client. */
  host: string;
}

/**
 * Circuit of a host.
 * - `open`: its jobs are sidelined, and one is called as a probe now and then.
 * - `closing`: the host answered; sidelined jobs are released, more of them each second.
 * - `disabled`: no probe is made until a person enables the host.
 */
export interface HostCircuit extends HostKey {
  state: 'open' | 'closing' | 'disabled';
  /**
   * Milliseconds until the next probe (open) or release of jobs (closing), by the database's clock; 0 or less if due.
   */
  nextInMs: number;
  /** Open: milliseconds since the circuit first opened. Closing: since the host answered. */
  sinceMs: number;
}

/** Outcome of taking a probe: a job to call; no job to probe with; or another dispatcher's turn. */
export type Probe = { kind: 'job'; job: ClaimedJob } | { kind: 'nothing-waits' } | { kind: 'not-now' };

/** Circuits of hosts, shared by all dispatchers. A host without a row is closed. */
export interface HostCircuits {
  read(): Promise<HostCircuit[]>;
  /** Opens the circuit, also if it is closing. An open or disabled circuit is unchanged. */
  open(key: HostKey, cause: string, nextInMs: number): Promise<void>;
  /** Disables the host until a person enables it. */
  disable(key: HostKey, cause: string): Promise<void>;
  /**
   * Takes the probe of an open host, if it is due: claims the sidelined job that was probed least, for `leaseMs`. The
   * next probe follows after `nextInMs`, with the next job.
   */
  takeProbe(key: HostKey, nextInMs: number, leaseMs: number): Promise<Probe>;
  /** Releases the sidelined jobs from now on: the host answered, or the reason for disabling it has ended. */
  beginClosing(key: HostKey): Promise<void>;
  /**
   * Makes up to `count` of the host's sidelined jobs due now, least probed first, unless some were released in the last
   * second. Removes the circuit when none is left. Returns the number of jobs; null if it was another dispatcher's
   * turn.
   */
  bringBack(key: HostKey, count: number): Promise<number | null>;
  /** Ends up to `limit` jobs that expired while they were sidelined. Returns their number. */
  expire(key: HostKey, limit: number): Promise<number>;
  /** Begins closing for hosts whose circuit was removed while a job was being sidelined. Returns their number. */
  adopt(): Promise<number>;
}
