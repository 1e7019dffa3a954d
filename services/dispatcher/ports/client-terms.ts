import type { JobRetries } from '../../../shared/domain/job/job-retries.ts';
import type { CallLimits } from './callback-endpoint.ts';

/** What calls of one client go by that name no endpoint, or of one endpoint: each is a client of its own here. */
export interface ClientTerms {
  /** Whose endpoint it is: what jobs send in secret was sealed for it, and it has one share of all slots. */
  ownerId: string;
  limits: CallLimits;
  /** Jobs that all schedulers may offer in a second; undefined without a limit. */
  ratePerSecond?: number | undefined;
  /** Why nothing is called through it, and what is stored waits; null: it is. */
  heldBecause: string | null;
  retries: JobRetries;
  /** Answers after which a job is not called again. */
  finalCodes: readonly number[];
  /** How long a receiver that answers 202 has for its report; null: then the job was called. */
  reportWithinMs: number | null;
  sideline: SidelineTerms;
  /** What a 410 does: the job alone is given up, or all jobs for its host are put aside. */
  onGone: 'dead-letter' | 'sideline';
  /** False: of a job that has ended, its body is forgotten. */
  keepsBodies: boolean;
  /** What its calls are authorised with that say nothing themselves. */
  auth: CallAuth | null;
  /** By Standard Webhooks, one for each secret that is valid then. @param timestamp seconds since 1970 */
  sign: (webhookId: string, timestamp: number, body: Buffer) => string[];
}

/** `unsent`: there is none now, and without it nothing is sent. */
export type Authorization =
  { kind: 'header'; value: string; secrets: readonly string[] } | { kind: 'unsent'; cause: string };

export interface CallAuth {
  /** Scheme, host and port of the servers that it is for. */
  origins: ReadonlySet<string>;
  /** Also for calls that have an authorization of their own. */
  isForAll: boolean;
  /** Of a call that is made now. Never throws. */
  authorization: () => Authorization | Promise<Authorization>;
  /** A receiver answered 401 to it. @param value as it was sent */
  refused: (value: string) => void;
}

/** What has to fail before the jobs of a host are put aside. */
export interface FailureLimits {
  /** Distinct jobs: however often one is tried, it counts once. */
  afterFailures: number;
  /** They have to be such a part of the jobs that were called lately, in (0, 1]. */
  failureRate: number;
}

/** When jobs are put aside, and until when. */
export interface SidelineTerms extends FailureLimits {
  /** Between two tries of a host, once it was left alone for as long. */
  probeEveryMs: number;
  /** What is put aside by itself, as if it were a host. */
  pathPrefixes: readonly string[];
}

export interface ClientDirectory {
  /** Undefined when there is no such client or endpoint any more. */
  termsOf(clientId: string): ClientTerms | undefined;
}
