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

/** Rows of one partition in one look: a few, so that looks are short and no partition waits for another's crowd. */
const rowsPerLook = 16;
/** Of one partition in one sweep: a crowd of 100,000 of which nothing may be offered is swept past at once. */
const rowsPerSweep = 2000;
const lapsedPerSweep = 200;
/** Partitions of which a sweep lists what it passes over at once, so that looks begin between them. */
const partitionsPerListing = 8;

export interface LookDeps {
  due: DueReferences;
  marks: Marks;
  lately: RecentOffers;
  behind: ClientsBehind;
  skimSize: SkimSize;
  swept: SweptJobs;
  credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs' | 'spend'>;
  /** To be offered. */
  outbox: JobReference[];
}

/** What a look came to. */
export interface LookEnd {
  found: number;
  /** There may be more of it right now. */
  isFull: boolean;
  /** Until the next one falls due, in milliseconds; null where none does within the time that was looked ahead. */
  nextInMs: number | null;
  lateMs: number;
}

/**
 * Reads what is due behind the marks, and moves them. Where clients are behind, Postgres leaves out their rows: the
 * others' do not wait until a crowd was carried past them.
 * @param aheadMs how far ahead to see what falls due next: what is seen there is read again until it is due
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

/** A crowd that several looks pass over stays one span. */
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

/** @returns how many there are of each partition */
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

/** Offers consecutive jobs as far as their client has credit. The rest waits with what the client is behind with. */
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
 * Finds what was committed behind the marks after they had passed.
 * @param horizon of the late look before; null where there was none
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
  // What was seen since it began is known until the next one: marks may have moved on by more than they reach.
  for (const { partition } of marks) deps.lately.forget(partition, deps.marks.of(partition));
  return { found, horizon: looked.horizon, nowUs: looked.nowUs };
}

/** Offers again what was to be offered at least ten seconds ago and is not called. Returns what was found lost. */
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

/** Adds to what waits of clients that are behind the jobs that the sweep has passed over in these ranges. */
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

/** The same of what was claimed by a dispatcher whose lease is over. */
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

/** Where its client has no credit, it is read with what the client is behind with. */
function offerAgain(reference: JobReference, { behind, credit, outbox, swept }: LookDeps, nowMs: number): boolean {
  if (!swept.isDue(reference, nowMs)) return false;
  if (credit.spend(reference.clientId, nowMs, reference.priority)) outbox.push(reference);
  else behind.add([reference]);
  return true;
}
