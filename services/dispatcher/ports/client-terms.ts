import type { JobRetries } from '../../../shared/domain/job/job-retries.ts';
import type { CallLimits } from './callback-endpoint.ts';

/** What calls of one client go by. */
export interface ClientTerms {
  limits: CallLimits;
  /** False: nothing is called for it; what is stored waits. */
  enabled: boolean;
  retries: JobRetries;
  /** Calls to one host that fail one after the other, until its jobs are put aside. */
  failuresToSideline: number;
  /** Between two tries of a host whose jobs are put aside. */
  probeEveryMs: number;
  /** What a 410 does: the job alone is given up, or all jobs for its host are put aside. */
  onGone: 'dead-letter' | 'sideline';
  /** By Standard Webhooks, one for each secret that is valid then. @param timestamp seconds since 1970 */
  sign: (webhookId: string, timestamp: number, body: Buffer) => string[];
}

export interface ClientDirectory {
  /** Undefined when there is no such client any more. */
  termsOf(clientId: string): ClientTerms | undefined;
}
