import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import { bandOf, type PriorityTurns, type SaidPriority } from '../../../shared/domain/job/priority-bands.ts';
import type { ClientCredit } from './client-credit.ts';
import { createClientsInTurn, type BandOfClient } from './clients-in-turn.ts';
import { partitionBit, type BandSpan, type Mark, type PassedOver } from '../ports/due-references.ts';
import { addSpan, isWithin, takeRead, type WaitingSpan, type WaitingSpans } from './waiting-spans.ts';

/**
 * Spans that are remembered in all. Beyond, the span before a new one of a band in a partition is made longer, and
 * reading it costs what others have there too. 150 bytes each.
 */
const mostSpans = 200_000;

/** Waiting spans of one band of a client that is behind, by partition. */
export interface ClientBehind {
  clientId: string;
  priority?: SaidPriority | undefined;
  waiting: ReadonlyMap<number, readonly WaitingSpan[]>;
}

interface Behind {
  waiting: WaitingSpans;
  /** How many looks had begun when it caught up: those that begin later do not pass over it any more. */
  caughtUpAt?: number | undefined;
}

interface BandBehind extends BandOfClient {
  /** By partition. */
  from: Map<number, Behind>;
  /** Partitions in which its rows are passed over; undefined after a change, until they are asked for. */
  bits: bigint | undefined;
}

/**
 * Clients of which more is due than may be offered, each of their bands by itself: what is urgent is not passed over
 * with the backlog that it is urgent beside. Everybody's look passes over their rows, inside Postgres, and reports the
 * spans in which they lie; these are read when there is credit again. Bands are named as `bandOf` has them.
 */
export interface ClientsBehind {
  /** Bands. */
  readonly size: number;
  has(band: string, partition: number): boolean;
  /** Everybody's look begins, and passes over those that are behind by then. */
  beginLook(): void;
  endLook(): void;
  /** True if this job lies in a span that will be read. */
  covers(reference: JobReference): boolean;
  /** Bands whose rows are passed over, and in which partitions. It is as of now, and stays so. */
  passedOver(): PassedOver;
  /** Partitions in which rows of any band are passed over, as bits. */
  passedOverIn(): bigint;
  isPassedOver(band: string, partition: number): boolean;
  /**
   * Its spans have been read, but for those that looks have added meanwhile: looks that begin from now on do not pass
   * over it.
   */
  catchUp(band: string, partition: number): void;
  /**
   * Ends the band in the partition if nothing waits there and no look is under way that may still pass over more of it.
   * If one is, the band catches up, and ends after that look.
   * @returns true if it has ended
   */
  settle(band: string, partition: number): boolean;
  /** These consecutive jobs wait, and their band's rows in their partition are passed over from now on. */
  add(jobs: readonly JobReference[]): void;
  /**
   * A look has passed over these jobs.
   * @param after the mark behind which the look has read them first; undefined if it has read others before
   */
  pass(span: BandSpan, after?: Mark): void;
  /**
   * The sweep has found these jobs of a band that is passed over. All of them may be on their way, so a read counts on
   * one of them at most, and takes the rest of its jobs from the spans that follow.
   */
  list(span: BandSpan): void;
  /**
   * In turn: every client once, with all of its bands, then all that are behind by then. At most so many clients, of
   * bands that have credit now. A client whose rate allows nothing yet is asked about again when it does, and twice a
   * second.
   */
  next(most: number, credit: Pick<ClientCredit, 'left' | 'untilRateAllowsMs'>, nowMs: number): ClientBehind[];
  /** Whether this turn is not over yet. */
  readonly isMidTurn: boolean;
  /** Whose turn it is among the bands of a client; kept while any of them is behind. */
  turnsOf(clientId: string): PriorityTurns;
  /** Takes the jobs out of a span that a look has read, up to a mark. */
  take(band: string, partition: number, span: WaitingSpan, readUpTo: Mark, rows: number): void;
  keepOnly(partitions: ReadonlySet<number>): void;
  /** Clients of which something waits, but for what the sweep alone has found. Costs a step for each. */
  count(): number;
  /** By client, when the oldest of what waits of it fell due. Costs a step for each of its partitions. */
  oldest(): Map<string, number>;
}

export function createClientsBehind(): ClientsBehind {
  const behind = new Map<string, BandBehind>();
  const clients = createClientsInTurn<BandBehind>();
  /** Undefined after a change, until it is asked for: forty looks a second would make one of 1,000 bands each. */
  let passed: { over: PassedOver; in: bigint } | undefined;
  let [begun, ended] = [0, 0];
  let spans = 0;

  const find = (band: string, partition: number) => behind.get(band)?.from.get(partition);
  /** Changes what waits of a band, and counts it. */
  function change(waiting: WaitingSpans, by: () => void): void {
    const before = waiting.length;
    by();
    spans += waiting.length - before;
  }

  function forgetBits(known: BandBehind): void {
    known.bits = undefined;
    passed = undefined;
  }

  function markCaughtUp(known: BandBehind, place: Behind, caughtUpAt: number | undefined): void {
    if (place.caughtUpAt !== caughtUpAt) forgetBits(known);
    place.caughtUpAt = caughtUpAt;
  }

  function end(band: string, partition: number): void {
    const known = behind.get(band);
    if (known === undefined) return;
    spans -= known.from.get(partition)?.waiting.length ?? 0;
    known.from.delete(partition);
    forgetBits(known);
    if (known.from.size !== 0) return;
    behind.delete(band);
    clients.remove(known);
  }

  function settle(band: string, partition: number): boolean {
    const known = behind.get(band);
    const place = known?.from.get(partition);
    if (!known || !place || place.waiting.length > 0) return false;
    if (begun === ended || (place.caughtUpAt !== undefined && ended >= place.caughtUpAt)) {
      end(band, partition);
      return true;
    }
    catchUp(band, partition);
    return false;
  }

  function catchUp(band: string, partition: number): void {
    const known = behind.get(band);
    const place = known?.from.get(partition);
    if (known && place) markCaughtUp(known, place, place.caughtUpAt ?? begun);
  }

  function addTo(place: Behind, span: WaitingSpan, after?: Mark): void {
    change(place.waiting, () => addSpan(place.waiting, span, spans >= mostSpans, after));
  }

  function startOf({ clientId, priority, partition }: BandSpan | JobReference): [BandBehind, Behind] {
    const known = behind.get(bandOf(clientId, priority)) ?? begin(clientId, priority);
    const place = known.from.get(partition) ?? { waiting: [] };
    if (!known.from.has(partition)) {
      known.from.set(partition, place);
      forgetBits(known);
    }
    return [known, place];
  }

  function begin(clientId: string, priority: SaidPriority | undefined): BandBehind {
    const begun = { clientId, priority, from: new Map<number, Behind>(), bits: undefined };
    behind.set(bandOf(clientId, priority), begun);
    clients.add(begun);
    return begun;
  }

  return {
    get size() {
      return behind.size;
    },
    get isMidTurn() {
      return clients.isMidTurn;
    },
    has: (band, partition) => find(band, partition) !== undefined,
    beginLook: () => {
      begun++;
    },
    endLook: () => {
      ended = begun;
    },
    isPassedOver: (band, partition) => isPassedOver(find(band, partition)),
    catchUp,
    settle,
    covers: (reference) => {
      const known = find(bandOf(reference.clientId, reference.priority), reference.partition);
      return known !== undefined && isWithin(known.waiting, reference);
    },
    passedOver: () => (passed ??= passedOf(behind)).over,
    passedOverIn: () => (passed ??= passedOf(behind)).in,
    add: (jobs) => {
      const [oldest, newest] = [jobs[0], jobs.at(-1)];
      if (!oldest || !newest) return;
      const [known, place] = startOf(oldest);
      markCaughtUp(known, place, undefined);
      const first = { dueUs: oldest.dueUs, jobId: oldest.jobId };
      const last = jobs.length === 1 ? first : { dueUs: newest.dueUs, jobId: newest.jobId };
      addTo(place, { first, last, rows: jobs.length });
    },
    pass: (span, after) => {
      const { first, last, rows } = span;
      addTo(startOf(span)[1], { first, last, rows }, after);
    },
    list: ({ clientId, priority, partition, first, last }) => {
      const place = find(bandOf(clientId, priority), partition);
      if (place) addTo(place, { first, last, rows: 1, isListed: true });
    },
    next: (most, credit, nowMs) =>
      clients.next(most, credit, nowMs).map(({ clientId, priority, from }) => {
        const waiting = Array.from(from, ([partition, place]) => [partition, place.waiting] as const);
        return { clientId, priority, waiting: new Map(waiting) };
      }),
    turnsOf: (clientId) => clients.turnsOf(clientId),
    take: (band, partition, span, readUpTo, rows) => {
      const waiting = find(band, partition)?.waiting;
      if (waiting) change(waiting, () => takeRead(waiting, span, readUpTo, rows));
    },
    keepOnly: (partitions) => {
      for (const [band, { from }] of [...behind]) {
        for (const partition of [...from.keys()]) if (!partitions.has(partition)) end(band, partition);
      }
    },
    count: () => {
      let count = 0;
      for (const bands of clients.bands()) if (bands.some(isWaiting)) count++;
      return count;
    },
    oldest: () => {
      const oldest = new Map<string, number>();
      for (const { clientId, from } of behind.values()) {
        for (const { waiting } of from.values()) {
          const dueUs = waiting.find(({ isListed }) => !isListed)?.first.dueUs ?? Infinity;
          if (dueUs < (oldest.get(clientId) ?? Infinity)) oldest.set(clientId, dueUs);
        }
      }
      return oldest;
    },
  };
}

function isWaiting({ from }: BandBehind): boolean {
  for (const { waiting } of from.values()) if (waiting.some(({ isListed }) => !isListed)) return true;
  return false;
}

function isPassedOver(known: Behind | undefined): boolean {
  return known !== undefined && known.caughtUpAt === undefined;
}

function passedOf(behind: ReadonlyMap<string, BandBehind>): { over: PassedOver; in: bigint } {
  const over = new Map<string, bigint>();
  let bits = 0n;
  for (const [band, known] of behind) {
    known.bits ??= bitsOf(known.from);
    if (known.bits === 0n) continue;
    over.set(band, known.bits);
    bits |= known.bits;
  }
  return { over, in: bits };
}

function bitsOf(from: ReadonlyMap<number, Behind>): bigint {
  let bits = 0n;
  for (const [partition, place] of from) if (isPassedOver(place)) bits |= partitionBit(partition);
  return bits;
}
