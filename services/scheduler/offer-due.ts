import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { DeferredClients } from './deferred-clients.ts';
import type { FairOffers } from './fair-offers.ts';
import type { Marks } from './marks.ts';
import type { OfferedLately } from './offered-lately.ts';
import { firstMark, type DueReferences, type Mark, type PartitionMark, type SkimMark } from './ports/due-references.ts';
import type { SweptJobs } from './swept-jobs.ts';

/** Rows of one partition in one look: a few, so that looks are short and no partition waits for another's crowd. */
const rowsPerLook = 16;
/** The same where a crowd is passed over: as many rows as Postgres reads in half a millisecond. */
const rowsPerSkim = 500;
/** What falls due so soon is near. */
export const nearMs = 50;
/** Of one client and partition, when it is read after others. */
const rowsOfDeferred = 64;
/** Of one partition in one sweep. */
const rowsPerSweep = 200;

export interface LookDeps {
  due: DueReferences;
  marks: Marks;
  lately: OfferedLately;
  deferred: DeferredClients;
  offers: FairOffers;
}

/** What a look came to. */
export interface LookEnd {
  found: number;
  /** There may be more of it right now. */
  isFull: boolean;
  isNear: boolean;
  lateMs: number;
}

/**
 * Reads what is due behind the marks, and moves them. Where clients are deferred, Postgres leaves out their rows: the others' do not wait until
 * a crowd was carried past them.
 * @param aheadMs how far ahead to see whether something is near: what is seen there is read again until it is due
 */
export async function lookForDue(deps: LookDeps, aheadMs: number): Promise<LookEnd> {
  const [plain, crowded]: [PartitionMark[], SkimMark[]] = [[], []];
  for (const mark of deps.marks.all()) {
    const skip = deps.deferred.of(mark.partition);
    if (skip.length === 0) plain.push(mark);
    else crowded.push({ ...mark, skip });
  }
  const ends = await Promise.all([lookAt(plain, aheadMs, deps), skimOver(crowded, deps)]);
  return {
    found: ends[0].found + ends[1].found,
    isFull: ends.some(({ isFull }) => isFull),
    isNear: ends.some(({ isNear }) => isNear),
    lateMs: Math.max(...ends.map(({ lateMs }) => lateMs)),
  };
}

const nothing: LookEnd = { found: 0, isFull: false, isNear: false, lateMs: 0 };

async function lookAt(marks: readonly PartitionMark[], aheadMs: number, deps: LookDeps): Promise<LookEnd> {
  if (marks.length === 0) return nothing;
  const { due, isNear, lateMs } = await deps.due.look(marks, rowsPerLook, aheadMs);
  const perPartition = passBy(due, deps);
  const isFull = Array.from(perPartition.values()).some((rows) => rows === rowsPerLook);
  return { found: due.length, isFull, isNear, lateMs };
}

async function skimOver(marks: readonly SkimMark[], deps: LookDeps): Promise<LookEnd> {
  if (marks.length === 0) return nothing;
  const { due, isFull, lateMs } = await deps.due.skim(marks, rowsPerSkim);
  passBy(due, deps);
  return { found: due.length, isFull, isNear: false, lateMs };
}

/** @returns how many there are of each partition */
function passBy(references: readonly JobReference[], deps: LookDeps): Map<number, number> {
  const perPartition = new Map<number, number>();
  for (const reference of references) {
    const { partition } = reference;
    perPartition.set(partition, (perPartition.get(partition) ?? 0) + 1);
    deps.lately.note(reference);
    takeIn(reference, deps.marks.of(partition), deps);
    deps.marks.advance(partition, reference);
  }
  for (const partition of perPartition.keys()) deps.lately.forget(partition, deps.marks.of(partition));
  return perPartition;
}

/**
 * Finds what was committed behind the marks after they had passed.
 * @param horizon of the late look before; null where there was none
 */
export async function lookForLate(
  { due, ...deps }: LookDeps,
  horizon: string | null,
): Promise<{ found: number; horizon: string | null }> {
  const marks = deps.marks.all().filter(({ dueUs }) => dueUs > 0);
  if (marks.length === 0) return { found: 0, horizon };
  const looked = await due.lookLate(marks, horizon);
  let found = 0;
  for (const reference of looked.late) {
    if (deps.lately.has(reference)) continue;
    deps.lately.note(reference);
    // A deferred client's rows are read again anyway, as long as they lie behind where that begins; the sweep has the rest.
    takeIn(reference, deps.marks.of(reference.partition), deps);
    found++;
  }
  return { found, horizon: looked.horizon };
}

/** Reads on for one client that has room again. Returns how many were read. */
export async function lookForDeferred({ due, deferred, offers, marks }: LookDeps): Promise<number> {
  const next = deferred.next((clientId) => offers.hasRoom(clientId));
  if (!next) return 0;
  const { clientId } = next;
  const ranges = Array.from(next.from, ([partition, after]) => ({ partition, after, until: marks.of(partition) }));
  const found = Map.groupBy(await due.lookOf(clientId, ranges, rowsOfDeferred), ({ partition }) => partition);
  let read = 0;
  for (const { partition } of ranges) {
    const references = found.get(partition) ?? [];
    read += references.length;
    for (const reference of references) {
      offers.add(reference);
      deferred.advance(clientId, partition, reference);
    }
    if (references.length < rowsOfDeferred) deferred.end(clientId, partition);
  }
  return read;
}

export interface SweepDeps extends LookDeps {
  swept: SweptJobs;
  /** By partition, where the sweep goes on. */
  cursors: Map<number, Mark>;
}

/** Offers again what was offered, or should have been, at least ten seconds ago and nobody calls. Returns what was found lost. */
export async function sweepDue(deps: SweepDeps, nowMs: number): Promise<JobReference[]> {
  const { marks, cursors, swept, offers } = deps;
  const ranges = marks.all().map(({ partition }) => ({
    ...{ partition, after: cursors.get(partition) ?? firstMark, until: marks.settledOf(partition, nowMs) },
  }));
  const open = ranges.filter(({ until }) => until.dueUs > 0);
  if (open.length === 0) return [];
  const found = Map.groupBy(await deps.due.sweep(open, rowsPerSweep), ({ partition }) => partition);
  const lost: JobReference[] = [];
  for (const { partition } of open) {
    const references = found.get(partition) ?? [];
    lost.push(...references.filter((reference) => isLost(reference, deps, nowMs)));
    const last = references.at(-1);
    if (last && references.length === rowsPerSweep) cursors.set(partition, { dueUs: last.dueUs, jobId: last.jobId });
    else {
      cursors.delete(partition);
      swept.endPass(partition);
    }
  }
  for (const reference of lost) offers.add(reference);
  return lost;
}

/**
 * The same of what was claimed by somebody whose lease is over: that is on its way to nobody, however much lies on the topic.
 * Returns what was found lost.
 */
export async function sweepLapsed(deps: SweepDeps, nowMs: number): Promise<JobReference[]> {
  const ranges = deps.marks.all().map(({ partition }) => ({
    ...{ partition, after: firstMark, until: deps.marks.settledOf(partition, nowMs) },
  }));
  const open = ranges.filter(({ until }) => until.dueUs > 0);
  if (open.length === 0) return [];
  const found = await deps.due.sweepLapsed(open, rowsPerSweep);
  const lost = found.filter((reference) => isLost(reference, deps, nowMs));
  for (const { partition } of open) deps.swept.endPass(partition);
  for (const reference of lost) deps.offers.add(reference);
  return lost;
}

/** Whether it is offered again now, which is then noted. */
function isLost(reference: JobReference, { deferred, offers, swept }: SweepDeps, nowMs: number): boolean {
  const { clientId, partition } = reference;
  const waits = offers.has(reference) || deferred.isDeferred(clientId, partition);
  return !waits && !offers.isFull(clientId) && swept.isDue(reference, nowMs);
}

function takeIn(
  reference: JobReference,
  before: Mark,
  { deferred, offers }: Pick<LookDeps, 'deferred' | 'offers'>,
): void {
  const { clientId, partition } = reference;
  if (deferred.isDeferred(clientId, partition)) return;
  if (offers.isFull(clientId)) deferred.defer(reference, before);
  else offers.add(reference);
}
