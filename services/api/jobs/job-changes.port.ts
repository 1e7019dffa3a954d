import type { JobChangeVerb } from '../../../shared/contracts/jobs/jobs.ts';
import type { JobFilter } from './job-store.port.ts';

/** The filter without its client, which stands beside it. */
export type ChangeFilter = Pick<JobFilter, 'state' | 'tag' | 'dueFrom' | 'dueUntil'>;

export interface JobChange {
  changeId: string;
  clientId: string;
  verb: JobChangeVerb;
  filter: ChangeFilter;
  /** Where to jobs are moved; null where they are cancelled. */
  dueAt: Date | null;
  state: 'running' | 'done';
  /** Cursor of the list of jobs: those before it have been changed. Null at the beginning. */
  place: string | null;
  seen: number;
  changed: number;
  tooLate: number;
  createdAt: Date;
  endedAt: Date | null;
}

/** Wishes for many jobs, which servers carry out in parts. */
export interface JobChanges {
  /** One of that id that exists is not created again but answered as it is. */
  create(change: Pick<JobChange, 'changeId' | 'clientId' | 'verb' | 'filter' | 'dueAt'>): Promise<JobChange>;
  get(changeId: string): Promise<JobChange | undefined>;
  /** The oldest of those that are not done; undefined where there is none. */
  nextRunning(): Promise<JobChange | undefined>;
  /**
   * Changes these jobs and moves the place behind them, in one transaction, where the place is still what it was: of several who go on at once, one
   * counts. @param next null where nothing is behind them: then it is done
   */
  apply(change: JobChange, jobIds: readonly string[], next: string | null): Promise<void>;
}
