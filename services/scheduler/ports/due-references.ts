import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';

/** Position in a partition: jobs at or below it are not read again by looks. */
export interface Mark {
  dueUs: number;
  /** Ordered like uuids in Postgres. */
  jobId: string;
}

export interface PartitionMark extends Mark {
  partition: number;
}

export interface Looked {
  /** Due jobs behind the marks, by the database's clock. Ordered by partition, due time and id. */
  due: JobReference[];
  /** Milliseconds until the next job is due; null if none is due within the requested time. */
  nextInMs: number | null;
  /** Lateness of the latest of them, in milliseconds by the database's clock; 0 if there are none. */
  lateMs: number;
}

/**
 * Rows to skip: partitions by band (`bandOf`), as bits. Bit n is partition n. Lists by partition would take 2.5 MB for
 * 1,000 clients.
 */
export type PassedOver = ReadonlyMap<string, bigint>;

const bitOf = Array.from({ length: 64 }, (_, partition) => 1n << BigInt(partition));

export const partitionBit = (partition: number): bigint => bitOf[partition] ?? 0n;

export function partitionBits(partitions: Iterable<{ partition: number }>): bigint {
  let bits = 0n;
  for (const { partition } of partitions) bits |= partitionBit(partition);
  return bits;
}

/** Part of a partition, from its first key to its last one, both included. */
export interface Span {
  first: Mark;
  last: Mark;
  /** Number of jobs, as far as known. */
  rows: number;
}

/** Consecutive jobs of one band in one partition that looks pass over. */
export interface BandSpan extends Span {
  partition: number;
  clientId: string;
  /** Undefined: normal. */
  priority?: StoredPriority | undefined;
}

export interface Skimmed {
  /** Due jobs as in `Looked.due`, without the bands that are passed over. */
  due: JobReference[];
  /** Jobs of the bands that are passed over, in the order of their keys, including jobs that are being called. */
  passed: BandSpan[];
  /** Last row read by partition; absent if there was none. */
  readUpTo: Map<number, Mark>;
  /** True if a partition reached the limit of rows. */
  isFull: boolean;
  lateMs: number;
}

export interface LookedLate {
  late: JobReference[];
  /** Input of the next late look. */
  horizon: string;
  /** The database's clock. */
  nowUs: number;
}

/** Range between two marks: `after` excluded, `until` included. */
export interface MarkRange {
  partition: number;
  after: Mark;
  until: Mark;
}

export interface ClientRange {
  partition: number;
  /** First and last key of the range, both included. */
  first: Mark;
  last: Mark;
  clientId: string;
  /** Undefined: normal. */
  priority?: StoredPriority | undefined;
  limit: number;
}

export interface ClientRead {
  found: JobReference[];
  /** Position from which reading continues; null if the whole range was read. */
  readUpTo: Mark | null;
}

export interface Swept {
  /** Jobs that are not being called, of bands that are not skipped. */
  found: JobReference[];
  /** Last row read, by partition that reached the limit: more rows may follow. */
  readUpTo: Map<number, Mark>;
}

export interface DueReferences {
  /** Reads due jobs behind the marks, oldest first, at most `limit` by partition. @param nearMs time to look ahead */
  look(marks: readonly PartitionMark[], limit: number, nearMs: number): Promise<Looked>;
  /** Reads like `look`, but skips bands. @param rows read of each partition at most, of any client */
  skim(marks: readonly PartitionMark[], passedOver: PassedOver, rows: number): Promise<Skimmed>;
  /**
   * Reads jobs due within the second before the mark and less than ten seconds ago. A transaction may commit there
   * after later ones were read. Skips jobs that are being called. May skip jobs that an earlier late look has read.
   * @param horizon of an earlier late look at the same database; null reads everything
   */
  lookLate(marks: readonly PartitionMark[], horizon: string | null): Promise<LookedLate>;
  /**
   * Reads jobs of each range's client that are not being called, oldest first, at most its `limit`.
   * @param rows read of each range at most, of any client
   */
  lookOf(ranges: readonly ClientRange[], rows: number): Promise<ClientRead[]>;
  /** Reads jobs that are not being called. @param rows read of each partition at most, of any client */
  sweep(ranges: readonly MarkRange[], passedOver: PassedOver, rows: number): Promise<Swept>;
  /** Reads jobs claimed under expired leases, at most `limit` by partition. Its cost depends on claimed jobs only. */
  sweepLapsed(ranges: readonly MarkRange[], limit: number): Promise<JobReference[]>;
}

export const firstMark: Mark = { dueUs: 0, jobId: '00000000-0000-0000-0000-000000000000' };

const lastJobId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the mark directly before this job. */
export function justBefore({ dueUs, jobId }: Mark): Mark {
  if (jobId === firstMark.jobId) return { dueUs: dueUs - 1, jobId: lastJobId };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: uuidOf(digits) };
}

/** Returns the first key after this mark. */
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
