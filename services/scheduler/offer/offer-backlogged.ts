import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf, type PriorityTurns } from '../../../shared/domain/job/priority-bands.ts';
import type { Priority } from '../../../shared/domain/priorities.ts';
import type { ClientBacklog } from './backlogged-clients.ts';
import type { ScanDeps } from './offer-due.ts';
import type { ClientRange, ClientRead, Mark } from '../ports/due-references.ts';
import type { WaitingSpan } from './waiting-spans.ts';

/**
 * Maximum number of clients with a backlog that one statement reads. `offeredOfPartition` is the maximum number of jobs
 * of one band in one partition that are offered then.
 */
const clientsPerRead = 64;
const offeredOfPartition = 64;
/** Maximum number of spans in one statement, divided equally among its bands. */
const spansPerRead = 4096;
/**
 * Maximum number of rows, of any client, that one statement reads. They are divided among the spans, and each span gets
 * at least `leastRowsOfSpan`.
 */
const rowsPerRead = 32_000;
const leastRowsOfSpan = 16;

/**
 * Offers further jobs of clients that have a backlog and have credit again. Reads only the spans in which jobs of these
 * clients lie, so the cost depends only on their due jobs. Other loops may scan, sweep and add spans at the same time.
 * All bands of a client are read together, and share the client's rate limit by priority.
 * @returns true if more can be read at once: of a client with remaining credit, or of the next clients
 */
export async function offerBacklogged(deps: ScanDeps, nowMs: number): Promise<boolean> {
  const { backlogged, due } = deps;
  const { ranges, credits } = rangesToRead(deps, nowMs);
  if (ranges.length === 0) return backlogged.isMidTurn;
  const rows = Math.max(leastRowsOfSpan, Math.floor(rowsPerRead / ranges.length));
  const reads = await due.readOfClients(ranges, rows);
  const { readUpTo, offered } = offerOldest(ranges, reads, deps, nowMs);
  let isMore = backlogged.isMidTurn;
  for (const [place, { band, partition, span, last, isNewest }] of ranges.entries()) {
    const upTo = readUpTo[place];
    if (upTo) backlogged.take(band, partition, span, upTo, reads[place]?.found.length ?? 0);
    const hasCredit = (offered.get(band) ?? 0) < (credits.get(band) ?? 0);
    if (!hasCredit) continue;
    if (isNewest && upTo === last) backlogged.stopSkipping(band, partition);
    if (backlogged.has(band, partition) && !backlogged.settle(band, partition)) isMore = true;
  }
  return isMore;
}

interface BacklogRange extends ClientRange {
  band: string;
  span: WaitingSpan;
  /** True for the last span of its band and partition. */
  isNewest: boolean;
}

function rangesToRead({ backlogged, credit }: ScanDeps, nowMs: number) {
  const credits = new Map<string, number>();
  const bands = backlogged.next(clientsPerRead, credit, nowMs);
  const most = Math.floor(spansPerRead / Math.max(1, bands.length));
  const ranges = bands.flatMap((each): BacklogRange[] => {
    const band = bandOf(each.clientId, each.priority);
    const left = credit.left(each.clientId, nowMs, each.priority);
    credits.set(band, left);
    for (const [partition, waiting] of each.waiting) if (waiting.length === 0) backlogged.settle(band, partition);
    return oldestOf(each, left).slice(0, most);
  });
  return { ranges, credits };
}

/**
 * Selects the spans to read for a band.
 * @returns the oldest spans over all partitions, oldest first, as many as are needed to find as many jobs as there is
 * credit
 */
function oldestOf({ clientId, priority, waiting }: ClientBacklog, left: number): BacklogRange[] {
  const band = bandOf(clientId, priority);
  const ofPartition = Math.min(offeredOfPartition, Math.ceil(left / waiting.size));
  const ranges: BacklogRange[] = [];
  for (const [partition, spans] of waiting) {
    let wanted = ofPartition;
    for (const span of spans) {
      if (wanted <= 0) break;
      const { first, last, rows } = span;
      const isNewest = span === spans.at(-1);
      ranges.push({ clientId, priority, band, partition, span, isNewest, first, last, limit: wanted });
      wanted -= rows;
    }
  }
  ranges.sort((a, b) => a.first.dueUs - b.first.dueUs);
  let jobs = 0;
  const upTo = ranges.findIndex(({ span, limit }) => (jobs += Math.min(span.rows, limit)) >= left);
  return upTo === -1 ? ranges : ranges.slice(0, upTo + 1);
}

interface FoundInBacklog {
  /** Index of the range in which the job was found. */
  place: number;
  reference: JobReference;
  /** State that distributes offers among the bands of the client. Set only if several of its bands have found jobs. */
  turns?: PriorityTurns;
}

/**
 * Offers the jobs that were found, oldest first over all partitions of a client, because the credit may suffice only
 * for some of them. If several bands of a client compete, they take turns.
 * @returns by range, the position up to which its jobs were offered (null if none was), and by band, the number of
 * offers
 */
function offerOldest(
  ranges: readonly BacklogRange[],
  reads: readonly ClientRead[],
  { backlogged, credit, outbox, lately }: ScanDeps,
  nowMs: number,
): { readUpTo: (Mark | null)[]; offered: ReadonlyMap<string, number> } {
  const readUpTo = ranges.map(({ last }, place): Mark | null => reads[place]?.readUpTo ?? last);
  const offered = new Map<string, number>();
  const stopped = new Set<number>();
  const found = reads.flatMap((read, place) => read.found.map((reference) => ({ place, reference })));
  const offeredUpTo = ranges.map((): Mark | null => null);
  for (const { place, reference, turns } of inTurn(found, (clientId) => backlogged.turnsOf(clientId))) {
    if (stopped.has(place)) continue;
    const { clientId, priority } = reference;
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

/**
 * Yields jobs, oldest first within each band. This is a generator, because the next job depends on which jobs the
 * caller has offered so far.
 */
function* inTurn(
  found: readonly FoundInBacklog[],
  turnsOf: (clientId: string) => PriorityTurns,
): Generator<FoundInBacklog> {
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
