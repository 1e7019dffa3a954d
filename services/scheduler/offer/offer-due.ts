import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf } from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';
import type { ClientsBehind } from './clients-behind.ts';
import { consecutiveJobs } from './consecutive-jobs.ts';
import type { Marks } from './marks.ts';
import type { RecentOffers } from './recent-offers.ts';
import {
  firstMark,
  isBehind,
  partitionBit,
  type BandSpan,
  type DueReferences,
  type MarkRange,
  type PartitionMark,
  type PassedOver,
} from '../ports/due-references.ts';
import type { SkimSize } from './skim-size.ts';
import type { SweptJobs } from './swept-jobs.ts';

/** Rows of one partition per look: few, so that looks are short and no partition waits for a crowd in another. */
const rowsPerLook = 16;
/** Rows of one partition per sweep: enough to pass a crowd of 100,000 jobs without credit quickly. */
const rowsPerSweep = 2000;
const lapsedPerSweep = 200;
/** Partitions per read when a sweep lists the jobs that it passes over, so that looks can begin in between. */
const partitionsPerListing = 8;

export interface LookDeps {
  due: DueReferences;
  marks: Marks;
  lately: RecentOffers;
  behind: ClientsBehind;
  skimSize: SkimSize;
  swept: SweptJobs;
  credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs' | 'spend'>;
  outbox: JobReference[];
}

export interface LookEnd {
  found: number;
  /** True if more jobs may be due now. */
  isFull: boolean;
  /** Milliseconds until the next job is due; null if none is due within the time looked ahead. */
  nextInMs: number | null;
  lateMs: number;
}

/**
 * Reads due jobs behind the marks, and moves the marks. Skips rows of clients behind inside Postgres.
 * @param aheadMs time to look ahead for the next due job, which is read again once due
 */
export async function lookForDue(deps: LookDeps, aheadMs: number, nowMs: number): Promise<LookEnd> {
  deps.behind.beginLook();
  try {
    return await lookBeside(deps, aheadMs, nowMs);
  } finally {
    deps.behind.endLook();
  }
}

async function lookBeside(deps: LookDeps, aheadMs: number, nowMs: number): Promise<LookEnd> {
  const [passedOver, crowdedBits] = [deps.behind.passedOver(), deps.behind.passedOverIn()];
  const [plain, crowded]: [PartitionMark[], PartitionMark[]] = [[], []];
  for (const mark of deps.marks.all()) {
    if ((crowdedBits & partitionBit(mark.partition)) === 0n) plain.push(mark);
    else crowded.push(mark);
  }
  const ends = await Promise.all([lookAt(plain, aheadMs, deps, nowMs), skimOver(crowded, passedOver, deps, nowMs)]);
  return {
    found: ends[0].found + ends[1].found,
    isFull: ends.some(({ isFull }) => isFull),
    nextInMs: ends[0].nextInMs,
    lateMs: Math.max(...ends.map(({ lateMs }) => lateMs)),
  };
}

const nothing: LookEnd = { found: 0, isFull: false, nextInMs: null, lateMs: 0 };

async function lookAt(
  marks: readonly PartitionMark[],
  aheadMs: number,
  deps: LookDeps,
  nowMs: number,
): Promise<LookEnd> {
  if (marks.length === 0) return nothing;
  const { due, nextInMs, lateMs } = await deps.due.look(marks, rowsPerLook, aheadMs);
  const perPartition = passBy(consecutiveJobs(due), deps, nowMs);
  const isFull = Array.from(perPartition.values()).some((rows) => rows === rowsPerLook);
  return { found: due.length, isFull, nextInMs, lateMs };
}

async function skimOver(
  marks: readonly PartitionMark[],
  passedOver: PassedOver,
  deps: LookDeps,
  nowMs: number,
): Promise<LookEnd> {
  if (marks.length === 0) return nothing;
  const { due, passed, readUpTo, isFull, lateMs } = await deps.due.skim(marks, passedOver, deps.skimSize.rows);
  passOver(due, passed, deps);
  const found = consecutiveJobs(due, passed);
  const rows = passed.reduce((sum, span) => sum + span.rows, due.length);
  deps.skimSize.read(rows, passed.length + found.length, isFull);
  passBy(found, deps, nowMs);
  for (const [partition, mark] of readUpTo) deps.marks.advance(partition, mark);
  return { found: due.length + passed.length, isFull, nextInMs: null, lateMs };
}

/** Records the jobs passed over. A crowd that several looks pass over stays one span. */
function passOver(due: readonly JobReference[], passed: readonly BandSpan[], { behind, marks }: LookDeps): void {
  const firstDue = new Map<number, JobReference>();
  for (const job of due) if (!firstDue.has(job.partition)) firstDue.set(job.partition, job);
  const begun = new Set<number>();
  for (const span of passed) {
    const { partition, first } = span;
    const before = firstDue.get(partition);
    const isFirst = !begun.has(partition) && (before === undefined || isBehind(before, first));
    begun.add(partition);
    behind.pass(span, isFirst ? marks.of(partition) : undefined);
  }
}

/** @returns the number of jobs by partition */
function passBy(groups: readonly JobReference[][], deps: LookDeps, nowMs: number): Map<number, number> {
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

/** Offers consecutive jobs while their client has credit. The rest is added to the waiting jobs of the client. */
function offer(jobs: readonly JobReference[], { behind, credit, outbox, lately }: LookDeps, nowMs: number): void {
  let offered = 0;
  for (const job of jobs) {
    const { clientId, partition, priority } = job;
    const isPassedOver = behind.isPassedOver(bandOf(clientId, priority), partition);
    if (isPassedOver || !credit.spend(clientId, nowMs, priority)) break;
    outbox.push(job);
    lately.note(job);
    offered++;
  }
  behind.add(jobs.slice(offered));
}

/**
 * Finds jobs that were committed behind the marks after they had passed.
 * @param horizon of the late look before; null for the first
 */
export async function lookForLate(
  deps: LookDeps,
  horizon: string | null,
  nowMs: number,
): Promise<{ found: number; horizon: string | null; nowUs: number | null }> {
  const marks = deps.marks.all().filter(({ dueUs }) => dueUs > 0);
  if (marks.length === 0) return { found: 0, horizon, nowUs: null };
  const looked = await deps.due.lookLate(marks, horizon);
  let found = 0;
  for (const reference of looked.late) {
    // Jobs that looks passed over are read with the spans of their clients.
    if (deps.lately.has(reference) || deps.behind.covers(reference)) continue;
    offer([reference], deps, nowMs);
    found++;
  }
  // Entries that this look has read are kept until the next late look, because marks may have moved on by more than its
  // reach.
  for (const { partition } of marks) deps.lately.forget(partition, deps.marks.of(partition));
  return { found, horizon: looked.horizon, nowUs: looked.nowUs };
}

/** Offers jobs again that were due at least ten seconds ago and are not called. Returns the jobs found lost. */
export async function sweepDue(deps: LookDeps, nowMs: number): Promise<JobReference[]> {
  const { marks, swept, behind } = deps;
  const ranges = settledRanges(marks, nowMs).map((range) => ({
    ...range,
    ...swept.goOn(range.partition),
  }));
  if (ranges.length === 0) return [];
  const { found, readUpTo } = await deps.due.sweep(ranges, behind.passedOver(), rowsPerSweep);
  await listPassedOver(
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

/** Adds the jobs that the sweep has passed over in these ranges to the waiting jobs of clients behind. */
async function listPassedOver(ranges: readonly MarkRange[], deps: LookDeps): Promise<void> {
  for (let first = 0; first < ranges.length; first += partitionsPerListing) {
    await listIn(ranges.slice(first, first + partitionsPerListing), deps);
  }
}

async function listIn(ranges: readonly MarkRange[], { due, behind }: LookDeps): Promise<void> {
  const passedOver = behind.passedOver();
  if (passedOver.size === 0) return;
  const untilOf = new Map(ranges.map(({ partition, until }) => [partition, until]));
  const cursors = ranges.map(({ partition, after }) => ({ partition, ...after }));
  const { passed } = await due.skim(cursors, passedOver, rowsPerSweep);
  for (const span of passed) {
    const until = untilOf.get(span.partition);
    // Jobs behind `until` were read a moment ago, or looks have yet to read them.
    if (!until || isBehind(span.first, until)) continue;
    behind.list(isBehind(span.last, until) ? { ...span, last: until } : span);
  }
}

/** Offers jobs again that a dispatcher with an expired lease had claimed. */
export async function sweepLapsed(deps: LookDeps, nowMs: number): Promise<JobReference[]> {
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

/** Offers a job again. Without credit, adds it to the waiting jobs of its client. */
function offerAgain(reference: JobReference, { behind, credit, outbox, swept }: LookDeps, nowMs: number): boolean {
  if (!swept.isDue(reference, nowMs)) return false;
  if (credit.spend(reference.clientId, nowMs, reference.priority)) outbox.push(reference);
  else behind.add([reference]);
  return true;
}
