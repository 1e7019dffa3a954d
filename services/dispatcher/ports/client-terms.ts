import type { JobRetries } from '../../../shared/domain/job/job-retries.ts';
import type { CallLimits } from './callback-endpoint.ts';

/** Call terms of an endpoint of a client. The endpoint `default` has the id of its client. */
export interface ClientTerms {
  /**
   * Client that owns the endpoint. The secrets of its jobs are encrypted for this client, and all its endpoints share
   * the client's slots.
   */
  ownerId: string;
  limits: CallLimits;
  /** Maximum number of jobs per second that all schedulers together may offer; undefined without a limit. */
  ratePerSecond?: number | undefined;
  /** Reason why this endpoint is paused: its jobs are stored, but not called. Null if the endpoint is not paused. */
  pauseReason: string | null;
  retries: JobRetries;
  /** Status codes after which a job is dead: it is not called again. */
  finalCodes: readonly number[];
  /**
   * Milliseconds within which a receiver that answers 202 must report the outcome. Null if the status 202 means that
   * the job has been called successfully.
   */
  reportWithinMs: number | null;
  sideline: SidelineTerms;
  /**
   * Effect of the status 410. `dead-letter`: only this job is dead. `sideline`: all jobs for the host are sidelined.
   */
  onGone: 'dead-letter' | 'sideline';
  /** True if the body of a job is kept after the job has ended. */
  keepsBodies: boolean;
  /**
   * Authorization of the client; null without one. It applies to calls without an authorization of their own, or to all
   * calls (`isForAll`).
   */
  auth: CallAuth | null;
  /**
   * Returns the Standard Webhooks signatures, one for each secret that is valid at `timestamp`.
   * @param timestamp seconds since 1970
   */
  sign: (webhookId: string, timestamp: number, body: Buffer) => string[];
}

/**
 * Authorization of a call. `unsent`: the authorization is not available now, and the call must not be made without it.
 */
export type Authorization =
  { kind: 'header'; value: string; secrets: readonly string[] } | { kind: 'unsent'; cause: string };

export interface CallAuth {
  /** Scheme, host and port of the servers that may receive the authorization. */
  origins: ReadonlySet<string>;
  /** True if it also applies to calls with an authorization of their own. */
  isForAll: boolean;
  /** Returns the authorization of a call made now. Never throws. */
  authorization: () => Authorization | Promise<Authorization>;
  /** Reports that a receiver answered 401. @param value authorization as sent */
  refused: (value: string) => void;
}

export interface FailureLimits {
  /** Number of failed jobs from which the circuit may open. A job counts once, however often it is called. */
  afterFailures: number;
  /** Minimum share of failed jobs among the recently called jobs from which the circuit may open, in (0, 1]. */
  failureRate: number;
}

export interface SidelineTerms extends FailureLimits {
  /**
   * Maximum time in milliseconds between two probes of a host. The first probes are more frequent; the time between
   * probes grows with the time for which the circuit is open.
   */
  probeEveryMs: number;
  /** Path prefixes that have circuits of their own, as if each were a host. */
  pathPrefixes: readonly string[];
}

export interface ClientDirectory {
  /** Returns the call terms of an endpoint; undefined if the client or endpoint does not exist any more. */
  termsOf(clientId: string): ClientTerms | undefined;
}
