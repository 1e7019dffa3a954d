import type { LookDeps } from './offer-due.ts';
import type { ClientRange, ClientRead, Mark } from './ports/due-references.ts';

/** Clients that are behind, in one statement, and what is offered of one of them and one partition. */
const clientsPerLook = 64;
const offeredOfRange = 64;
/** Rows in one statement, whosever they are, as long as each range has some. */
const rowsPerLook = 32_000;
const leastRowsOfRange = 16;

/**
 * Reads on for clients that are behind and have credit again. Others look, sweep and add to it meanwhile: where a mark
 * is not the one that was read from, it stays.
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
    const { clientId } = range;
    const hasCredit = (offered.get(clientId) ?? 0) < (credits.get(clientId) ?? 0);
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
  const clients = behind.next(clientsPerLook, (clientId) => credit.left(clientId, nowMs) > 0);
  const credits = new Map(clients.map(({ clientId }) => [clientId, credit.left(clientId, nowMs)]));
  const ranges = clients.flatMap(({ clientId, from }): BehindRange[] => {
    const limit = Math.min(offeredOfRange, Math.ceil((credits.get(clientId) ?? 0) / from.size));
    return Array.from(from, ([partition, after]) => ({
      ...{ clientId, partition, after, limit },
      until: marks.of(partition),
      isLast: behind.isLast(clientId, partition),
    }));
  });
  return { ranges, credits };
}

/**
 * The oldest first over all partitions of a client: there may be credit for a few only.
 * @returns by range, how far it has come, null: to its end; and how many are offered of each client
 */
function offerOldest(
  ranges: readonly BehindRange[],
  reads: readonly ClientRead[],
  { credit, outbox, lately }: LookDeps,
  nowMs: number,
): { readUpTo: (Mark | null)[]; offered: ReadonlyMap<string, number> } {
  const readUpTo = reads.map((read) => read.readUpTo);
  const offered = new Map<string, number>();
  const stopped = new Set<number>();
  const found = reads.flatMap((read, place) => read.found.map((reference) => ({ place, reference })));
  const offeredUpTo = ranges.map(({ after }) => after);
  for (const { place, reference } of found.sort((a, b) => a.reference.dueUs - b.reference.dueUs)) {
    if (stopped.has(place)) continue;
    // Since it caught up, looks have offered it themselves.
    if (ranges[place]?.isLast && lately.has(reference)) continue;
    if (!credit.spend(reference.clientId, nowMs)) {
      stopped.add(place);
      readUpTo[place] = offeredUpTo[place] ?? null;
      continue;
    }
    outbox.push(reference);
    offered.set(reference.clientId, (offered.get(reference.clientId) ?? 0) + 1);
    lately.note(reference);
    offeredUpTo[place] = reference;
  }
  return { readUpTo, offered };
}

/** @returns whether nothing of it is left for this */
function moveMark(range: BehindRange, readUpTo: Mark | null, hasCredit: boolean, deps: LookDeps): boolean {
  const { behind, marks } = deps;
  const { clientId, partition, after, until } = range;
  if (behind.markOf(clientId, partition) !== after) return false;
  // What was passed over since, or is now, lies behind where everybody's look stood; unless none passes over it.
  const isWhereItStands = marks.of(partition) === until && !behind.isLookUnderWay;
  const isSeenTo = isWhereItStands || (range.isLast && behind.isLast(clientId, partition));
  const isThrough = readUpTo === null && isSeenTo;
  if (isThrough) behind.end(clientId, partition);
  else if (readUpTo === null && hasCredit) behind.catchUp(clientId, partition, until);
  else behind.advance(clientId, partition, readUpTo ?? until);
  return isThrough;
}
