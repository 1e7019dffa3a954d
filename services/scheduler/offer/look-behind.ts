import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf, type PriorityTurns } from '../../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../../shared/domain/priorities.ts';
import type { LookDeps } from './offer-due.ts';
import type { ClientRange, ClientRead, Mark } from '../ports/due-references.ts';

/** Clients that are behind, in one statement, and what is offered of a band of one of them and one partition. */
const clientsPerLook = 64;
const offeredOfRange = 64;
/** Rows in one statement, whosever they are, as long as each range has some. */
const rowsPerLook = 32_000;
const leastRowsOfRange = 16;

/**
 * Reads on for clients that are behind and have credit again. Others look, sweep and add to it meanwhile: where a mark
 * is not the one that was read from, it stays. All bands of a client are read at once, and share its rate by their
 * priorities.
 * @returns whether there is more to be read now: of a client that has credit left, or of the next ones
 */
export async function lookBehind(deps: LookDeps, nowMs: number): Promise<boolean> {
  const { ranges, credits } = rangesToRead(deps, nowMs);
  if (ranges.length === 0) return deps.behind.isMidTurn;
  const rows = Math.max(leastRowsOfRange, Math.floor(rowsPerLook / ranges.length));
  const reads = await deps.due.lookOf(ranges, rows);
  const { readUpTo, offered } = offerOldest(ranges, reads, deps, nowMs);
  let isMore = deps.behind.isMidTurn;
  for (const [place, range] of ranges.entries()) {
    const band = bandOf(range.clientId, range.priority);
    const hasCredit = (offered.get(band) ?? 0) < (credits.get(band) ?? 0);
    const isThrough = moveMark(range, readUpTo[place] ?? null, hasCredit, deps);
    if (!isThrough && hasCredit) isMore = true;
  }
  return isMore;
}

interface BehindRange extends ClientRange {
  /** Looks see to what comes after it. */
  isLast: boolean;
}

function rangesToRead({ behind, credit, marks }: LookDeps, nowMs: number) {
  const credits = new Map<string, number>();
  const bands = behind.next(clientsPerLook, (clientId, priority) => credit.left(clientId, nowMs, priority) > 0);
  const ranges = bands.flatMap(({ clientId, priority, from }): BehindRange[] => {
    const band = bandOf(clientId, priority);
    const left = credit.left(clientId, nowMs, priority);
    credits.set(band, left);
    const limit = Math.min(offeredOfRange, Math.ceil(left / from.size));
    return Array.from(from, ([partition, after]) => ({
      ...{ clientId, priority, partition, after, limit },
      until: marks.of(partition),
      isLast: behind.isLast(band, partition),
    }));
  });
  return { ranges, credits };
}

interface FoundBehind {
  /** Of its range. */
  place: number;
  reference: JobReference;
  /** Where other bands of its client wait beside it. */
  turns?: PriorityTurns;
}

/**
 * The oldest first over all partitions of a client: there may be credit for a few only. Where several of its bands wait
 * for its rate, they take turns.
 * @returns by range, how far it has come, null: to its end; and how many are offered of each band
 */
function offerOldest(
  ranges: readonly BehindRange[],
  reads: readonly ClientRead[],
  { behind, credit, outbox, lately }: LookDeps,
  nowMs: number,
): { readUpTo: (Mark | null)[]; offered: ReadonlyMap<string, number> } {
  const readUpTo = reads.map((read) => read.readUpTo);
  const offered = new Map<string, number>();
  const stopped = new Set<number>();
  const found = reads.flatMap((read, place) => read.found.map((reference) => ({ place, reference })));
  const offeredUpTo = ranges.map(({ after }) => after);
  for (const { place, reference, turns } of inTurn(found, (clientId) => behind.turnsOf(clientId))) {
    if (stopped.has(place)) continue;
    const { clientId, priority } = reference;
    // Since it caught up, looks have offered it themselves.
    if (ranges[place]?.isLast && lately.has(reference)) continue;
    if (!credit.spend(clientId, nowMs, priority)) {
      stopped.add(place);
      readUpTo[place] = offeredUpTo[place] ?? null;
      continue;
    }
    outbox.push(reference);
    const band = bandOf(clientId, priority);
    offered.set(band, (offered.get(band) ?? 0) + 1);
    turns?.took(priority ?? 'normal');
    lately.note(reference);
    offeredUpTo[place] = reference;
  }
  return { readUpTo, offered };
}

/** The oldest first of each band. Asked one by one: whose turn is next goes by what was offered meanwhile. */
function* inTurn(found: readonly FoundBehind[], turnsOf: (clientId: string) => PriorityTurns): Generator<FoundBehind> {
  const byAge = found.toSorted((a, b) => a.reference.dueUs - b.reference.dueUs);
  if (found.every(({ reference }) => reference.priority === undefined)) {
    yield* byAge;
    return;
  }
  for (const [clientId, ofClient] of Map.groupBy(byAge, ({ reference }) => reference.clientId)) {
    const bands = Map.groupBy(ofClient, ({ reference }): Priority => reference.priority ?? 'normal');
    if (bands.size === 1) {
      yield* ofClient;
      continue;
    }
    const turns = turnsOf(clientId);
    while (bands.size > 0) {
      const priority = turns.next([...bands.keys()]);
      const next = bands.get(priority)?.shift();
      if (next) yield { ...next, turns };
      else bands.delete(priority);
    }
  }
}

/** @returns whether nothing of it is left for this */
function moveMark(range: BehindRange, readUpTo: Mark | null, hasCredit: boolean, deps: LookDeps): boolean {
  const { behind, marks } = deps;
  const { partition, after, until } = range;
  const band = bandOf(range.clientId, range.priority);
  if (behind.markOf(band, partition) !== after) return false;
  // What was passed over since, or is now, lies behind where everybody's look stood; unless none passes over it.
  const isWhereItStands = marks.of(partition) === until && !behind.isLookUnderWay;
  const isSeenTo = isWhereItStands || (range.isLast && behind.isLast(band, partition));
  const isThrough = readUpTo === null && isSeenTo;
  if (isThrough) behind.end(band, partition);
  else if (readUpTo === null && hasCredit) behind.catchUp(band, partition, until);
  else behind.advance(band, partition, readUpTo ?? until);
  return isThrough;
}
