import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { StoredPriority } from '../../../shared/domain/job/priority-bands.ts';

/** Mark: a position in a partition. Looks have read all jobs up to and including this position. */
export interface Mark {
  dueUs: number;
  /** Job id, as a lower-case uuid. Compared in the same order as in Postgres. */
  jobId: string;
}

export interface PartitionMark extends Mark {
  partition: number;
}

export interface Looked {
  /** Jobs after the marks that are due by the database's clock, sorted by partition, due time and id. */
  due: JobReference[];
  /** Milliseconds until the next job is due; null if none is due within the requested time. */
  nextInMs: number | null;
  /**
   * Milliseconds, by the database's clock, for which the job that is most overdue among them has been due. 0 if there
   * are none.
   */
  lateMs: number;
}

/**
 * Rows to skip: for each band (named by `bandOf`), its partitions as bits; bit n is partition n. Lists by partition
 * instead would take 2.5 MB for 1,000 clients.
 */
export type PassedOver = ReadonlyMap<string, bigint>;

const bitOf = Array.from({ length: 64 }, (_, partition) => 1n << BigInt(partition));

export const partitionBit = (partition: number): bigint => bitOf[partition] ?? 0n;

export function partitionBits(partitions: Iterable<{ partition: number }>): bigint {
  let bits = 0n;
  for (const { partition } of partitions) bits |= partitionBit(partition);
  return bits;
}

/** Part of a partition from the key `first` to the key `last`, both included. */
export interface Span {
  first: Mark;
  last: Mark;
  /** Number of jobs, as far as known. */
  rows: number;
}

/** Span of consecutive jobs of one band (a client and a priority) that looks pass over. */
export interface BandSpan extends Span {
  partition: number;
  clientId: string;
  /** Priority of the band; undefined means normal. */
  priority?: StoredPriority | undefined;
}

export interface Skimmed {
  /** Due jobs, sorted as in `Looked.due`. Jobs of the bands that are passed over are not included. */
  due: JobReference[];
  /**
   * Spans with the jobs of the bands that are passed over, in the order of their keys. Jobs that are being called are
   * included.
   */
  passed: BandSpan[];
  /** Last row read by partition; absent if there was none. */
  readUpTo: Map<number, Mark>;
  /** True if a partition reached the limit of rows. */
  isFull: boolean;
  lateMs: number;
}

export interface LookedLate {
  late: JobReference[];
  /** Horizon for the next late look. */
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
  /** Position from which reading continues; null if the whole range was read. */
  readUpTo: Mark | null;
}

export interface Swept {
  /** Jobs that are not being called. Jobs of bands that are skipped are not included. */
  found: JobReference[];
  /** Last row that was read, only for partitions that reached the limit. More rows may follow there. */
  readUpTo: Map<number, Mark>;
}

export interface DueReferences {
  /**
   * Reads due jobs after the marks, oldest first, at most `limit` per partition.
   * @param nearMs milliseconds within which the next due job is searched
   */
  look(marks: readonly PartitionMark[], limit: number, nearMs: number): Promise<Looked>;
  /**
   * Reads due jobs like `look`, but skips bands.
   * @param rows maximum number of rows to read per partition, of any client
   */
  skim(marks: readonly PartitionMark[], passedOver: PassedOver, rows: number): Promise<Skimmed>;
  /**
   * Reads jobs before the marks that looks may have missed, because their transaction committed after later jobs had
   * been read. These jobs were due within the second before the mark, and less than ten seconds ago. Skips jobs that
   * are being called. May skip jobs that an earlier late look has read.
   * @param horizon result of an earlier late look at the same database; null reads everything
   */
  lookLate(marks: readonly PartitionMark[], horizon: string | null): Promise<LookedLate>;
  /**
   * Reads jobs of each range's client that are not being called, oldest first, at most `limit` per range.
   * @param rows maximum number of rows to read per range, of any client
   */
  lookOf(ranges: readonly ClientRange[], rows: number): Promise<ClientRead[]>;
  /** Reads jobs that are not being called. @param rows read of each partition at most, of any client */
  sweep(ranges: readonly MarkRange[], passedOver: PassedOver, rows: number): Promise<Swept>;
  /** Reads jobs claimed under expired leases, at most `limit` by partition. Its cost depends on claimed jobs only. */
  sweepLapsed(ranges: readonly MarkRange[], limit: number): Promise<JobReference[]>;
}

export const firstMark: Mark = { dueUs: 0, jobId: '00000000-0000-0000-0000-000000000000' };

const lastJobId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Returns the key directly before this one. */
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

export function isAfter(reference: Mark, mark: Mark): boolean {
  return reference.dueUs === mark.dueUs ? reference.jobId > mark.jobId : reference.dueUs > mark.dueUs;
}
