import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf } from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';
import type { BackloggedClients } from './backlogged-clients.ts';
import { consecutiveJobs } from './consecutive-jobs.ts';
import type { Marks } from './marks.ts';
import type { RecentOffers } from './recent-offers.ts';
import {
  firstMark,
  isAfter,
  partitionBit,
  type BandSpan,
  type DueReferences,
  type MarkRange,
  type PartitionMark,
  type SkippedBands,
} from '../ports/due-references.ts';
import type { PeekSize } from './peek-size.ts';
import type { SweptJobs } from './swept-jobs.ts';

/**
 * Maximum number of rows per partition that a scan reads. It is small, so that scans are short, and no partition waits
 * for a large number of jobs in another one.
 */
const rowsPerScan = 16;
/**
 * Maximum number of rows per partition that a sweep reads. It is large, so that a sweep soon gets past a backlog of
 * 100,000 jobs without credit.
 */
const rowsPerSweep = 2000;
const lapsedPerSweep = 200;
/**
 * Number of partitions per read when a sweep lists the jobs that it passes over. It is small, so that scans can begin
 * in between.
 */
const partitionsPerListing = 8;

export interface ScanDeps {
  due: DueReferences;
  marks: Marks;
  lately: RecentOffers;
  backlogged: BackloggedClients;
  peekSize: PeekSize;
  swept: SweptJobs;
  credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs' | 'spend'>;
  outbox: JobReference[];
}

export interface ScanEnd {
  found: number;
  /** True if the scan reached its limit, so that more jobs may be due now. */
  isFull: boolean;
  /** Milliseconds until the next job is due; null if no job is due within `aheadMs`. */
  nextInMs: number | null;
  lateMs: number;
}

/**
 * Looks for due jobs: reads those after the marks, offers them, and moves the marks. Rows of bands with a backlog are
 * skipped inside Postgres.
 * @param aheadMs time in milliseconds within which the scan also searches for the next due job; a later scan offers it
 */
export async function scanDue(deps: ScanDeps, aheadMs: number, nowMs: number): Promise<ScanEnd> {
  deps.backlogged.beginScan();
  try {
    return await scanMarks(deps, aheadMs, nowMs);
  } finally {
    deps.backlogged.endScan();
  }
}

async function scanMarks(deps: ScanDeps, aheadMs: number, nowMs: number): Promise<ScanEnd> {
  const [skippedBands, skippedBits] = [deps.backlogged.skippedBands(), deps.backlogged.skippedPartitions()];
  const [plain, skipping]: [PartitionMark[], PartitionMark[]] = [[], []];
  for (const mark of deps.marks.all()) {
    if ((skippedBits & partitionBit(mark.partition)) === 0n) plain.push(mark);
    else skipping.push(mark);
  }
  const ends = await Promise.all([
    scanAll(plain, aheadMs, deps, nowMs),
    scanSkipping(skipping, skippedBands, deps, nowMs),
  ]);
  return {
    found: ends[0].found + ends[1].found,
    isFull: ends.some(({ isFull }) => isFull),
    nextInMs: ends[0].nextInMs,
    lateMs: Math.max(...ends.map(({ lateMs }) => lateMs)),
  };
}

const nothing: ScanEnd = { found: 0, isFull: false, nextInMs: null, lateMs: 0 };

async function scanAll(
  marks: readonly PartitionMark[],
  aheadMs: number,
  deps: ScanDeps,
  nowMs: number,
): Promise<ScanEnd> {
  if (marks.length === 0) return nothing;
  const { due, nextInMs, lateMs } = await deps.due.scan(marks, rowsPerScan, aheadMs);
  const perPartition = offerAndAdvance(consecutiveJobs(due), deps, nowMs);
  const isFull = Array.from(perPartition.values()).some((rows) => rows === rowsPerScan);
  return { found: due.length, isFull, nextInMs, lateMs };
}

async function scanSkipping(
  marks: readonly PartitionMark[],
  skippedBands: SkippedBands,
  deps: ScanDeps,
  nowMs: number,
): Promise<ScanEnd> {
  if (marks.length === 0) return nothing;
  const { due, passed, readUpTo, isFull, lateMs } = await deps.due.peek(marks, skippedBands, deps.peekSize.rows);
  addSkipped(due, passed, deps);
  const found = consecutiveJobs(due, passed);
  const rows = passed.reduce((sum, span) => sum + span.rows, due.length);
  deps.peekSize.read(rows, passed.length + found.length, isFull);
  offerAndAdvance(found, deps, nowMs);
  for (const [partition, mark] of readUpTo) deps.marks.advance(partition, mark);
  return { found: due.length + passed.length, isFull, nextInMs: null, lateMs };
}

/**
 * Adds the spans that a scan has skipped to the waiting jobs. A backlog that several scans skip remains one
 * span.
 */
function addSkipped(due: readonly JobReference[], passed: readonly BandSpan[], { backlogged, marks }: ScanDeps): void {
  const firstDue = new Map<number, JobReference>();
  for (const job of due) if (!firstDue.has(job.partition)) firstDue.set(job.partition, job);
  const begun = new Set<number>();
  for (const span of passed) {
    const { partition, first } = span;
    const before = firstDue.get(partition);
    const isFirst = !begun.has(partition) && (before === undefined || isAfter(before, first));
    begun.add(partition);
    backlogged.pass(span, isFirst ? marks.of(partition) : undefined);
  }
}

/** Offers the jobs of a scan and moves the marks past them. @returns the number of jobs by partition */
function offerAndAdvance(groups: readonly JobReference[][], deps: ScanDeps, nowMs: number): Map<number, number> {
  const perPartition = new Map<number, number>();
  for (const jobs of groups) {
    const last = jobs.at(-1);
    if (!last) continue;
    const { partition } = last;
    perPartition.set(partition, (perPartition.get(partition) ?? 0) + jobs.length);
    offer(jobs, deps, nowMs);
    deps.marks.advance(partition, last);
  }
  return perPartition;
}

/** Offers consecutive jobs of one band as long as it has credit. The rest is added to the band's waiting jobs. */
function offer(jobs: readonly JobReference[], { backlogged, credit, outbox, lately }: ScanDeps, nowMs: number): void {
  let offered = 0;
  for (const job of jobs) {
    const { clientId, partition, priority } = job;
    const isSkipped = backlogged.isSkipped(bandOf(clientId, priority), partition);
    if (isSkipped || !credit.spend(clientId, nowMs, priority)) break;
    outbox.push(job);
    lately.note(job);
    offered++;
  }
  backlogged.add(jobs.slice(offered));
}

/**
 * Looks for late jobs: those whose transaction committed only after the mark had passed their position.
 * @param horizon result of the previous late scan; null for the first
 */
export async function scanLate(
  deps: ScanDeps,
  horizon: string | null,
  nowMs: number,
): Promise<{ found: number; horizon: string | null; nowUs: number | null }> {
  const marks = deps.marks.all().filter(({ dueUs }) => dueUs > 0);
  if (marks.length === 0) return { found: 0, horizon, nowUs: null };
  const lateScan = await deps.due.scanLate(marks, horizon);
  let found = 0;
  for (const reference of lateScan.late) {
    // Jobs of a backlogged client lie in spans that are read separately, so they are not offered here.
    if (deps.lately.has(reference) || deps.backlogged.covers(reference)) continue;
    offer([reference], deps, nowMs);
    found++;
  }
  // Older entries are forgotten only now. The next late scan still needs those that this scan may have read, because
  // the marks may have moved by more than a second.
  for (const { partition } of marks) deps.lately.forget(partition, deps.marks.of(partition));
  return { found, horizon: lateScan.horizon, nowUs: lateScan.nowUs };
}

/** Offers jobs again that were due at least ten seconds ago and are not being called. Returns these lost jobs. */
export async function sweepDue(deps: ScanDeps, nowMs: number): Promise<JobReference[]> {
  const { marks, swept, backlogged } = deps;
  const ranges = settledRanges(marks, nowMs).map((range) => ({
    ...range,
    ...swept.positionOf(range.partition),
  }));
  if (ranges.length === 0) return [];
  const { found, readUpTo } = await deps.due.sweep(ranges, backlogged.skippedBands(), rowsPerSweep);
  await listSkipped(
    ranges.filter(({ isListed }) => isListed),
    deps,
  );
  const lost = found.filter((reference) => offerAgain(reference, deps, nowMs));
  for (const { partition } of ranges) {
    const cursor = readUpTo.get(partition);
    if (cursor) swept.moveTo(partition, cursor);
    else swept.endPass(partition);
  }
  return lost;
}

/** Adds the jobs that the sweep has skipped in these ranges to the waiting jobs of their bands. */
async function listSkipped(ranges: readonly MarkRange[], deps: ScanDeps): Promise<void> {
  for (let first = 0; first < ranges.length; first += partitionsPerListing) {
    await listIn(ranges.slice(first, first + partitionsPerListing), deps);
  }
}

async function listIn(ranges: readonly MarkRange[], { due, backlogged }: ScanDeps): Promise<void> {
  const skippedBands = backlogged.skippedBands();
  if (skippedBands.size === 0) return;
  const untilOf = new Map(ranges.map(({ partition, until }) => [partition, until]));
  const cursors = ranges.map(({ partition, after }) => ({ partition, ...after }));
  const { passed } = await due.peek(cursors, skippedBands, rowsPerSweep);
  for (const span of passed) {
    const until = untilOf.get(span.partition);
    // Jobs after `until` are skipped: scans have read them only moments ago, or will read them.
    if (!until || isAfter(span.first, until)) continue;
    backlogged.list(isAfter(span.last, until) ? { ...span, last: until } : span);
  }
}

/** Offers jobs again whose dispatcher did not call them before its lease expired. */
export async function sweepLapsed(deps: ScanDeps, nowMs: number): Promise<JobReference[]> {
  const ranges = settledRanges(deps.marks, nowMs);
  if (ranges.length === 0) return [];
  const found = await deps.due.sweepLapsed(ranges, lapsedPerSweep);
  return found.filter((reference) => offerAgain(reference, deps, nowMs));
}

function settledRanges(marks: Marks, nowMs: number) {
  return marks
    .all()
    .map(({ partition }) => ({ partition, after: firstMark, until: marks.settledOf(partition, nowMs) }))
    .filter(({ until }) => until.dueUs > 0);
}

/**
 * Offers a job again. If its band has no credit, adds it to the waiting jobs. Returns false if it is too early to offer
 * the job again.
 */
function offerAgain(reference: JobReference, { backlogged, credit, outbox, swept }: ScanDeps, nowMs: number): boolean {
  if (!swept.isDue(reference, nowMs)) return false;
  if (credit.spend(reference.clientId, nowMs, reference.priority)) outbox.push(reference);
  else backlogged.add([reference]);
  return true;
}
