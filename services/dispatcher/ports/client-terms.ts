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
  /** Jobs per second that all schedulers may offer; undefined without a limit. */
  ratePerSecond?: number | undefined;
  /** Reason why no calls are made while stored jobs wait; null if calls are made. */
  pauseReason: string | null;
  retries: JobRetries;
  /** Status codes after which a job is not called again. */
  finalCodes: readonly number[];
  /**
   * Milliseconds within which a receiver that answers 202 must report the outcome. Null if the status 202 means that
   * the job has been called successfully.
   */
  reportWithinMs: number | null;
  sideline: SidelineTerms;
  /** Effect of the status 410: either only this job becomes dead, or all jobs for its host are sidelined. */
  onGone: 'dead-letter' | 'sideline';
  /** False if the body of an ended job is removed. */
  keepsBodies: boolean;
  /** Authorization of the client. It applies to calls without an authorization of their own, or to all (`isForAll`). */
  auth: CallAuth | null;
  /** Returns the Standard Webhooks signatures, one for each secret valid then. @param timestamp seconds since 1970 */
  sign: (webhookId: string, timestamp: number, body: Buffer) => string[];
}

/** Authorization of a call. `unsent`: there is none now, and the call must not be made without it. */
export type Authorization =
  { kind: 'header'; value: string; secrets: readonly string[] } | { kind: 'unsent'; cause: string };

export interface CallAuth {
  /** Scheme, host and port of the servers that the authorization is for. */
  origins: ReadonlySet<string>;
  /** True if it also applies to calls with an authorization of their own. */
  isForAll: boolean;
  /** Returns the authorization of a call made now. Never throws. */
  authorization: () => Authorization | Promise<Authorization>;
  /** Reports that a receiver answered 401. @param value authorization as sent */
  refused: (value: string) => void;
}

export interface FailureLimits {
  /** Number of distinct failed jobs: a job counts once, however often it is called. */
  afterFailures: number;
  /** Minimum share of failures among the recently called jobs at which the circuit opens, in (0, 1]. */
  failureRate: number;
}

export interface SidelineTerms extends FailureLimits {
  /**
   * Maximum time in milliseconds between two probes of a host. At first, probes are more frequent; the time grows with
   * the time that the circuit is open.
   */
  probeEveryMs: number;
  /** Path prefixes with circuits of their own, as if each were a host. */
  pathPrefixes: readonly string[];
}

export interface ClientDirectory {
  /** Returns undefined if the client or endpoint does not exist any more. */
  termsOf(clientId: string): ClientTerms | undefined;
}
