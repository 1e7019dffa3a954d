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

/**
 * Rows that a look leaves out: by band (`bandOf`), the partitions in which it does, as bits. Bit n stands for partition
 * n. One entry for each band, as a list for each of 64 partitions is 2.5 MB for 1,000 clients.
 */
export type PassedOver = ReadonlyMap<string, bigint>;

const bitOf = Array.from({ length: 64 }, (_, partition) => 1n << BigInt(partition));

export const partitionBit = (partition: number): bigint => bitOf[partition] ?? 0n;

/** Bits of all the partitions. */
export function partitionBits(partitions: Iterable<{ partition: number }>): bigint {
  let bits = 0n;
  for (const { partition } of partitions) bits |= partitionBit(partition);
  return bits;
}

/** Part of a partition, from its first key to its last one; both are included. */
export interface Span {
  first: Mark;
  last: Mark;
  /** Number of jobs, as far as is known. */
  rows: number;
}

/** Consecutive jobs of one band in one partition, which are passed over. */
export interface BandSpan extends Span {
  partition: number;
  clientId: string;
  /** Normal unless given. */
  priority?: SaidPriority | undefined;
}

export interface Skimmed {
  /** Jobs that are due, like `due` of `look`, without the bands that are passed over. */
  due: JobReference[];
  /** Jobs of the bands that are passed over, in the order of their keys, whether they are called or not. */
  passed: BandSpan[];
  /** By partition, the last row that was read; absent if there was none. */
  readUpTo: Map<number, Mark>;
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
export interface ClientRange {
  partition: number;
  /** First and last key of the range; both are included. */
  first: Mark;
  last: Mark;
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
  skim(marks: readonly PartitionMark[], passedOver: PassedOver, rows: number): Promise<Skimmed>;
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
  sweep(ranges: readonly MarkRange[], passedOver: PassedOver, rows: number): Promise<Swept>;
  /**
   * What was claimed, by a dispatcher whose lease is over, at most `limit` of each partition. Costs what is claimed,
   * not what is due.
   */
  sweepLapsed(ranges: readonly MarkRange[], limit: number): Promise<JobReference[]>;
}

/** Before everything. */
export const firstMark: Mark = { dueUs: 0, jobId: '00000000-0000-0000-0000-000000000000' };

const lastJobId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** The mark behind which this job is the very next that can be. */
export function justBefore({ dueUs, jobId }: Mark): Mark {
  if (jobId === firstMark.jobId) return { dueUs: dueUs - 1, jobId: lastJobId };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: uuidOf(digits) };
}

/** The very next key that can be behind this mark. */
export function justAfter({ dueUs, jobId }: Mark): Mark {
  if (jobId === lastJobId) return { dueUs: dueUs + 1, jobId: firstMark.jobId };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: uuidOf(digits) };
}

function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function isBehind(reference: Mark, mark: Mark): boolean {
  return reference.dueUs === mark.dueUs ? reference.jobId > mark.jobId : reference.dueUs > mark.dueUs;
}
