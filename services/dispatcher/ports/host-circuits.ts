import type { ClaimedJob } from './call-ledger.ts';

export interface HostKey {
  clientId: string;
  /** `*`: all hosts of the client. Otherwise host and port, and the path prefix where the client names one. */
  host: string;
}

/**
 * - `open`: its jobs are put aside, and one is tried now and then.
 * - `closing`: it answered; what was put aside is brought back, more and more each second.
 * - `disabled`: nothing is tried until a person enables it.
 */
export interface HostCircuit extends HostKey {
  state: 'open' | 'closing' | 'disabled';
  /**
   * Open: until the next try. Closing: until the next jobs are brought back. By the database's clock; 0 or less when it
   * is time.
   */
  nextInMs: number;
  /** Open: since it was first. Closing: since it answered. */
  sinceMs: number;
}

/** What a try of a host came to: a job to call; that there is nothing to try with; or that it is another's to try. */
export type Probe = { kind: 'job'; job: ClaimedJob } | { kind: 'nothing-waits' } | { kind: 'not-now' };

/** Hosts that are left alone, as all dispatchers see them. Hosts without a row are well. */
export interface HostCircuits {
  read(): Promise<HostCircuit[]>;
  /** Leaves the host alone, also while it is closing; one that is open or disabled stays as it is. */
  open(key: HostKey, cause: string, nextInMs: number): Promise<void>;
  /** Leaves the host alone until a person enables it. */
  disable(key: HostKey, cause: string): Promise<void>;
  /**
   * Takes the try of an open host, if it is time: the sidelined job that was tried least, claimed for so long. The next
   * try is so long after, with the next job.
   */
  takeProbe(key: HostKey, nextInMs: number, leaseMs: number): Promise<Probe>;
  /** The host answered, or what kept it is over: what was put aside comes back from now on. */
  beginClosing(key: HostKey): Promise<void>;
  /**
   * Makes so many of its sidelined jobs due now, those that were tried least first, if none were in the last second,
   * and forgets the host when none is left. Returns how many; null when it was another's turn.
   */
  bringBack(key: HostKey, count: number): Promise<number | null>;
  /** Ends what has expired while it was put aside, at most so many. Returns how many. */
  expire(key: HostKey, limit: number): Promise<number>;
  /**
   * Lets hosts close whose jobs are put aside and that no circuit knows of: they were forgotten while a job was put
   * aside. Returns how many.
   */
  adopt(): Promise<number>;
}
