import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';

/** Mark: a position in a partition. Scans have read all jobs up to and including this position. */
export interface Mark {
  dueUs: number;
  /** Job id, as a lower-case UUID. Ids are compared as in Postgres. */
  jobId: string;
}

export interface PartitionMark extends Mark {
  partition: number;
}

export interface DueScan {
  /** Jobs after the marks that are due by the database's clock, sorted by partition, due time and id. */
  due: JobReference[];
  /** Milliseconds until the next job is due; null if none is due within the requested time. */
  nextInMs: number | null;
  /**
   * Milliseconds for which the most overdue of these jobs has been due, by the database's clock. 0 if there are none.
   */
  lateMs: number;
}

/**
 * Rows to skip. For each band (named by `bandOf`): its partitions as bits, where bit n is partition n. Lists of bands
 * by partition would take 2.5 MB for 1,000 clients.
 */
export type SkippedBands = ReadonlyMap<string, bigint>;

const bitOf = Array.from({ length: 64 }, (_, partition) => 1n << BigInt(partition));

export const partitionBit = (partition: number): bigint => bitOf[partition] ?? 0n;

export function partitionBits(partitions: Iterable<{ partition: number }>): bigint {
  let bits = 0n;
  for (const { partition } of partitions) bits |= partitionBit(partition);
  return bits;
}

/** Part of a partition, from the key `first` to the key `last`, both inclusive. */
export interface Span {
  first: Mark;
  last: Mark;
  /** Number of jobs in the span, as far as known. */
  rows: number;
}

/** Span of consecutive jobs of one band (a client and a priority) that a scan has skipped. */
export interface BandSpan extends Span {
  partition: number;
  clientId: string;
  /** Priority of the band; undefined means normal. */
  priority?: StoredPriority | undefined;
}

export interface Peeked {
  /** Due jobs of the bands that are not skipped, sorted as in `DueScan.due`. */
  due: JobReference[];
  /**
   * Spans that contain the jobs of the skipped bands, in the order of their keys. They also contain jobs that are being
   * called.
   */
  passed: BandSpan[];
  /** By partition, the last row that was read; absent if there was none. */
  readUpTo: Map<number, Mark>;
  /** True if a partition reached the limit of rows. */
  isFull: boolean;
  lateMs: number;
}

export interface LateScan {
  late: JobReference[];
  /** Opaque value that the next late scan gets as its `horizon`. */
  horizon: string;
  /** Current time by the database's clock, in microseconds since 1970. */
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
  /** Priority of the jobs; undefined means normal. */
  priority?: StoredPriority | undefined;
  limit: number;
}

export interface ClientRead {
  found: JobReference[];
  /** Position from which the next read of the range continues; null if the whole range was read. */
  readUpTo: Mark | null;
}

export interface Swept {
  /** Jobs that are not being called, without the jobs of skipped bands. */
  found: JobReference[];
  /**
   * By partition, the last row that was read. Contains only partitions that reached the limit, because more rows may
   * follow there.
   */
  readUpTo: Map<number, Mark>;
}

export interface DueReferences {
  /**
   * Reads due jobs after the marks, oldest first, at most `limit` per partition.
   * @param nearMs milliseconds within which the next due job is searched for
   */
  scan(marks: readonly PartitionMark[], limit: number, nearMs: number): Promise<DueScan>;
  /**
   * Reads due jobs like `scan`, but skips bands.
   * @param rows maximum number of rows of any client that are read per partition
   */
  peek(marks: readonly PartitionMark[], skippedBands: SkippedBands, rows: number): Promise<Peeked>;
  /**
   * Reads jobs before the marks that scans may have missed, because their transaction committed after scans had read
   * later jobs. These jobs were due within the last second before the mark, and less than ten seconds ago. Skips jobs
   * that are being called. May skip jobs that an earlier late scan has read.
   * @param horizon result of an earlier late scan at the same database; null to read everything
   */
  scanLate(marks: readonly PartitionMark[], horizon: string | null): Promise<LateScan>;
  /**
   * For each range, reads jobs of its client that are not being called, oldest first, at most `limit`.
   * @param rows maximum number of rows of any client that are read per range
   */
  readOfClients(ranges: readonly ClientRange[], rows: number): Promise<ClientRead[]>;
  /**
   * Reads jobs that are not being called.
   * @param rows maximum number of rows of any client that are read per partition
   */
  sweep(ranges: readonly MarkRange[], skippedBands: SkippedBands, rows: number): Promise<Swept>;
  /**
   * Reads jobs whose claims have an expired lease, at most `limit` per partition. The cost depends only on the number
   * of claimed jobs.
   */
  sweepLapsed(ranges: readonly MarkRange[], limit: number): Promise<JobReference[]>;
}

export const firstMark: Mark = { dueUs: 0, jobId: '00000000-0000-0000-0000-000000000000' };

const lastJobId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the greatest possible key before this mark. */
export function justBefore({ dueUs, jobId }: Mark): Mark {
  if (jobId === firstMark.jobId) return { dueUs: dueUs - 1, jobId: lastJobId };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) - 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: uuidOf(digits) };
}

/** Returns the smallest possible key after this mark. */
export function justAfter({ dueUs, jobId }: Mark): Mark {
  if (jobId === lastJobId) return { dueUs: dueUs + 1, jobId: firstMark.jobId };
  const digits = (BigInt(`0x${jobId.replaceAll('-', '')}`) + 1n).toString(16).padStart(32, '0');
  return { dueUs, jobId: uuidOf(digits) };
}

function uuidOf(digits: string): string {
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

export function isAfter(reference: Mark, mark: Mark): boolean {
  return reference.dueUs === mark.dueUs ? reference.jobId > mark.jobId : reference.dueUs > mark.dueUs;
}
