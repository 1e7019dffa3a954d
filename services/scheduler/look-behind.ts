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
 * @returns whether there is more to be read now
 */
export async function lookBehind(deps: LookDeps, nowMs: number): Promise<boolean> {
  const ranges = rangesToRead(deps, nowMs);
  if (ranges.length === 0) return deps.behind.isMidTurn;
  const rows = Math.max(leastRowsOfRange, Math.floor(rowsPerLook / ranges.length));
  const reads = await deps.due.lookOf(ranges, rows);
  const readUpTo = offerOldest(ranges, reads, deps, nowMs);
  for (const [place, range] of ranges.entries()) moveMark(range, readUpTo[place] ?? null, deps);
  const isCutShort = reads.some((read, place) => read.readUpTo && read.found.length < (ranges[place]?.limit ?? 0));
  return isCutShort || deps.behind.isMidTurn;
}

function rangesToRead({ behind, credit, marks }: LookDeps, nowMs: number): ClientRange[] {
  const clients = behind.next(clientsPerLook, (clientId) => credit.left(clientId, nowMs) > 0);
  return clients.flatMap(({ clientId, from }) => {
    const limit = Math.min(offeredOfRange, Math.ceil(credit.left(clientId, nowMs) / from.size));
    return Array.from(from, ([partition, after]) => ({
      ...{ clientId, partition, after, limit },
      until: marks.of(partition),
    }));
  });
}

/**
 * The oldest first over all partitions of a client: there may be credit for a few only.
 * @returns by range, how far it has come; null: to its end
 */
function offerOldest(
  ranges: readonly ClientRange[],
  reads: readonly ClientRead[],
  { credit, outbox, lately }: LookDeps,
  nowMs: number,
): (Mark | null)[] {
  const readUpTo = reads.map((read) => read.readUpTo);
  const stopped = new Set<number>();
  const found = reads.flatMap((read, place) => read.found.map((reference) => ({ place, reference })));
  const offeredUpTo = ranges.map(({ after }) => after);
  for (const { place, reference } of found.sort((a, b) => a.reference.dueUs - b.reference.dueUs)) {
    if (stopped.has(place)) continue;
    if (!credit.spend(reference.clientId, nowMs)) {
      stopped.add(place);
      readUpTo[place] = offeredUpTo[place] ?? null;
      continue;
    }
    outbox.push(reference);
    lately.note(reference);
    offeredUpTo[place] = reference;
  }
  return readUpTo;
}

function moveMark(range: ClientRange, readUpTo: Mark | null, { behind, marks }: LookDeps): void {
  const { clientId, partition, after, until } = range;
  if (behind.markOf(clientId, partition) !== after) return;
  if (readUpTo) behind.advance(clientId, partition, readUpTo);
  // What was passed over since lies behind where everybody's look stood.
  else if (marks.of(partition) === until) behind.end(clientId, partition);
  else behind.advance(clientId, partition, until);
}
