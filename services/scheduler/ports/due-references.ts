import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { SaidPriority } from '../../../shared/domain/job/priority-bands.ts';

/** How far a partition was looked at: what is at or below it is not looked at again. */
export interface Mark {
  dueUs: number;
  /** As Postgres sorts its uuids. */
  jobId: string;
}

export interface PartitionMark extends Mark {
  partition: number;
}

export interface Looked {
  /** Due by the database's clock, behind the marks; by partition, then by due time and id. */
  due: JobReference[];
  /** Until the next one falls due, in milliseconds; null where none does within the time that was asked for. */
  nextInMs: number | null;
  /** How late the latest of them was seen, in milliseconds by the database's clock; 0 when there is none. */
  lateMs: number;
}

/** A partition in which rows of some clients' bands are passed over (`bandOf`). */
export interface SkimMark extends PartitionMark {
  skip: readonly string[];
}

export interface Skimmed {
  /**
   * As of `look`, without the clients that are skipped, but for the last row of each partition: it says how far was
   * read.
   */
  due: JobReference[];
  /** Of one of the partitions as many rows were read as asked for. */
  isFull: boolean;
  lateMs: number;
}

export interface LookedLate {
  late: JobReference[];
  /** For the next late look. */
  horizon: string;
  /** The database's clock. */
  nowUs: number;
}

/** From one mark, which is left out, to another, which is not. */
export interface MarkRange {
  partition: number;
  after: Mark;
  until: Mark;
}

/** What is to be read of one client's band in one partition. */
export interface ClientRange extends MarkRange {
  clientId: string;
  /** Normal unless given. */
  priority?: SaidPriority | undefined;
  limit: number;
}

export interface ClientRead {
  found: JobReference[];
  /** Where reading goes on; null when all of the range was read. */
  readUpTo: Mark | null;
}

/** A range in which rows of some clients' bands are passed over. */
export interface SweptRange extends MarkRange {
  skip: readonly string[];
}

export interface Swept {
  /** What is not being called, of clients that are not skipped. */
  found: JobReference[];
  /** By partition, the last row that was read, where as many were read as asked for: there may be more behind it. */
  readUpTo: Map<number, Mark>;
}

export interface DueReferences {
  /**
   * Of each partition what is due behind its mark, the oldest first, at most `limit`. @param nearMs how far ahead to
   * see
   */
  look(marks: readonly PartitionMark[], limit: number, nearMs: number): Promise<Looked>;
  /**
   * As `look`, of partitions in which some clients are passed over. @param rows read of each partition at most,
   * whosever they are
   */
  skim(marks: readonly SkimMark[], rows: number): Promise<Skimmed>;
  /**
   * What is due between the second before the mark and the mark, it included, and not ten seconds ago: commits land
   * there that began before others which were seen. Jobs that are being called are left out, and so may be what was
   * committed before an earlier late look: looks that began after that saw it.
   * @param horizon of an earlier late look at the same database; null: all of it is wanted
   */
  lookLate(marks: readonly PartitionMark[], horizon: string | null): Promise<LookedLate>;
  /**
   * Of each range what its client has there and is not being called, the oldest first, at most its `limit`; by range.
   * @param rows read of each range at most, whosever they are
   */
  lookOf(ranges: readonly ClientRange[], rows: number): Promise<ClientRead[]>;
  /** What is not being called. @param rows read of each partition at most, whosever they are */
  sweep(ranges: readonly SweptRange[], rows: number): Promise<Swept>;
  /**
   * What was claimed, by a dispatcher whose lease is over, at most `limit` of each partition. Costs what is claimed,
   * not what is due.
   */
  sweepLapsed(ranges: readonly MarkRange[], limit: number): Promise<JobReference[]>;
}

/** Before everything. */
export const firstMark: Mark = { dueUs: 0, jobId: '00000000-0000-0000-0000-000000000000' };

/** The mark behind which this job is the very next that can be. */
export function justBefore({ dueUs, jobId }: Mark): Mark {
  if (jobId === firstMark.jobId) return { dueUs: dueUs - 1, jobId: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') };
}

export function isBehind(reference: Mark, mark: Mark): boolean {
  return reference.dueUs === mark.dueUs ? reference.jobId > mark.jobId : reference.dueUs > mark.dueUs;
}
