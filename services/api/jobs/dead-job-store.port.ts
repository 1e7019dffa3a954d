import type { Page } from '../campaigns/campaign-store.port.ts';

export interface DeadJobFilter {
  clientId?: string | undefined;
  cause?: string | undefined;
}

export interface DeadJobGroup {
  clientId: string;
  cause: string;
  jobs: number;
  firstAt: Date;
  lastAt: Date;
}

export interface DeadJob {
  jobId: string;
  clientId: string;
  cause: string;
  diedAt: Date;
  scheduledFor: Date;
  expiresAt: Date | null;
  /** By the database's clock: replaying it has to be asked for expressly. */
  expired: boolean;
  attempt: number;
  method: string;
  url: string;
  /** Of its last call. */
  status: number | null;
  error: string | null;
}

export interface DeadJobContent extends DeadJob {
  /** JSON, as it was accepted. */
  headers: string | null;
  body: string | null;
  answer: string | null;
  tags: readonly string[];
  key: string | null;
}

export interface ReplayTerms {
  /** Those that have expired too: they never expire again. */
  withExpired: boolean;
  /** They fall due so many a second, one after the other; null: all at once. */
  perSecond: number | null;
}

export interface Replayed {
  jobs: number;
  /** Left alone: they have expired. */
  expired: number;
}

/** Jobs that were given up, with all that calling them again needs. */
export interface DeadJobStore {
  /** By client and cause, the largest first. */
  groups(filter: DeadJobFilter): Promise<DeadJobGroup[]>;
  /**
   * Those that died last first; `cursor` is what the page before said.
   * @throws {InvalidCursorError} when it is none
   */
  list(filter: DeadJobFilter, limit: number, cursor: string | null): Promise<Page<DeadJob>>;
  find(jobId: string): Promise<DeadJobContent | undefined>;
  /**
   * Makes one of them a job again: the same id, attempt 1, due now. A job that is no dead one any more is left as it is: `missing`.
   */
  replay(jobId: string, terms: Pick<ReplayTerms, 'withExpired'>): Promise<'replayed' | 'expired' | 'missing'>;
  /** The same with all that fit and had died when this was asked, at most some thousand in one transaction. */
  replayAll(filter: DeadJobFilter, terms: ReplayTerms): Promise<Replayed>;
}
