import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import {
  bandOf,
  bandOrder,
  createPriorityTurns,
  saidPriority,
  type PriorityTurns,
  type SaidPriority,
} from '../../../shared/domain/job/priority-bands.ts';
import { firstMark, isBehind, justBefore, type Mark } from '../ports/due-references.ts';

/** Where reading goes on for one band of a client that is behind, by partition. */
export interface ClientBehind {
  clientId: string;
  priority?: SaidPriority | undefined;
  from: ReadonlyMap<number, Mark>;
}

interface Behind {
  mark: Mark;
  /** Due time of what is read next, as far as is known: also after a mark went back to the beginning. */
  dueUs: number;
  /** How many looks had begun when it caught up: those that begin later do not pass over it any more. */
  caughtUpAt?: number;
}

interface BandBehind {
  clientId: string;
  priority: SaidPriority | undefined;
  /** By partition. */
  from: Map<number, Behind>;
}

/**
 * Clients of which more is due than may be offered, each of their bands by itself: what is urgent is not passed over
 * with the backlog that it is urgent beside. Everybody's look passes over their rows, inside Postgres; they are read
 * from marks of their own when there is credit again. Bands are named as `bandOf` has them.
 */
export interface ClientsBehind {
  /** Bands. */
  readonly size: number;
  has(band: string, partition: number): boolean;
  /** Everybody's look begins, and passes over those that are behind by then. */
  beginLook(): void;
  endLook(): void;
  readonly isLookUnderWay: boolean;
  /** Where its reading goes on; undefined when it is not behind there. */
  markOf(band: string, partition: number): Mark | undefined;
  /** Whether this job will be read from its band's own mark. */
  covers(reference: JobReference): boolean;
  /** Whose rows are passed over in this partition. */
  in(partition: number): string[];
  isPassedOver(band: string, partition: number): boolean;
  /** Read up to there, which is where everybody's look stood: that may see to what comes after it. */
  catchUp(band: string, partition: number, mark: Mark): void;
  /** It caught up, and no look passes over it any more: what is left up to where everybody's stands is the last. */
  isLast(band: string, partition: number): boolean;
  /**
   * From this job on its band's rows in its partition are passed over; one that is behind already goes back to it.
   */
  add(reference: JobReference): void;
  /**
   * In turn: every client once, with all of its bands, then all that are behind by then. At most so many clients, of
   * bands that may be read now.
   */
  next(most: number, mayRead: (clientId: string, priority: SaidPriority | undefined) => boolean): ClientBehind[];
  /** Whether this turn is not over yet. */
  readonly isMidTurn: boolean;
  /** Whose turn it is among the bands of a client; kept while any of them is behind. */
  turnsOf(clientId: string): PriorityTurns;
  /** Read up to there. */
  advance(band: string, partition: number, mark: Mark): void;
  /** Nothing of it is left up to where everybody's look stands. */
  end(band: string, partition: number): void;
  /** All are read again from the beginning: what was offered may be lost. */
  rewind(): void;
  keepOnly(partitions: ReadonlySet<number>): void;
  /** By client, when the oldest of what is left of it fell due. */
  oldest(): Map<string, number>;
}

export function createClientsBehind(): ClientsBehind {
  const behind = new Map<string, BandBehind>();
  /** By client. */
  const turns = new Map<string, PriorityTurns>();
  /** Who has not had its turn. */
  let turn: string[] = [];
  let [begun, ended] = [0, 0];

  const find = (band: string, partition: number) => behind.get(band)?.from.get(partition);
  const isPassedOver = (known: Behind | undefined) => known !== undefined && known.caughtUpAt === undefined;
  const bandsOf = (clientId: string) =>
    bandOrder.flatMap((priority) => behind.get(bandOf(clientId, saidPriority(priority))) ?? []);

  function end(band: string, partition: number): void {
    const known = behind.get(band);
    known?.from.delete(partition);
    if (known?.from.size !== 0) return;
    behind.delete(band);
    if (bandsOf(known.clientId).length === 0) turns.delete(known.clientId);
  }

  function bandOfReference({ clientId, priority }: JobReference): BandBehind {
    const band = bandOf(clientId, priority);
    const known = behind.get(band) ?? { clientId, priority, from: new Map<number, Behind>() };
    behind.set(band, known);
    return known;
  }

  return {
    get size() {
      return behind.size;
    },
    get isMidTurn() {
      return turn.length > 0;
    },
    has: (band, partition) => find(band, partition) !== undefined,
    beginLook: () => {
      begun++;
    },
    endLook: () => {
      ended = begun;
    },
    get isLookUnderWay() {
      return begun > ended;
    },
    isPassedOver: (band, partition) => isPassedOver(find(band, partition)),
    catchUp: (band, partition, mark) => {
      behind.get(band)?.from.set(partition, { mark, dueUs: mark.dueUs, caughtUpAt: begun });
    },
    isLast: (band, partition) => {
      const caughtUpAt = find(band, partition)?.caughtUpAt;
      return caughtUpAt !== undefined && ended >= caughtUpAt;
    },
    markOf: (band, partition) => find(band, partition)?.mark,
    covers: (reference) => {
      const known = find(bandOf(reference.clientId, reference.priority), reference.partition);
      return known !== undefined && isBehind(reference, known.mark);
    },
    in: (partition) => [...behind].flatMap(([band, { from }]) => (isPassedOver(from.get(partition)) ? band : [])),
    add: (reference) => {
      const { partition, dueUs } = reference;
      const { from } = bandOfReference(reference);
      const mark = justBefore(reference);
      const known = from.get(partition);
      if (!known || isBehind(known.mark, mark)) from.set(partition, { mark, dueUs });
      else from.set(partition, { mark: known.mark, dueUs: known.dueUs });
    },
    next: (most, mayRead) => {
      if (turn.length === 0) turn = [...new Set(Array.from(behind.values(), ({ clientId }) => clientId))];
      const chosen: ClientBehind[] = [];
      let clients = 0;
      while (clients < most && turn.length > 0) {
        const readable = bandsOf(turn.shift() ?? '').filter(({ clientId, priority }) => mayRead(clientId, priority));
        for (const { clientId, priority, from } of readable) {
          const marks = Array.from(from, ([partition, { mark }]) => [partition, mark] as const);
          chosen.push({ clientId, priority, from: new Map(marks) });
        }
        if (readable.length > 0) clients++;
      }
      return chosen;
    },
    turnsOf: (clientId) => {
      const known = turns.get(clientId) ?? createPriorityTurns();
      turns.set(clientId, known);
      return known;
    },
    advance: (band, partition, mark) => {
      behind.get(band)?.from.set(partition, { mark, dueUs: mark.dueUs });
    },
    end,
    rewind: () => {
      for (const { from } of behind.values()) {
        for (const [partition, { dueUs }] of from) from.set(partition, { mark: firstMark, dueUs });
      }
    },
    keepOnly: (partitions) => {
      for (const [band, { from }] of [...behind]) {
        for (const partition of [...from.keys()]) if (!partitions.has(partition)) end(band, partition);
      }
    },
    oldest: () => {
      const oldest = new Map<string, number>();
      for (const { clientId, from } of behind.values()) {
        const dueUs = Math.min(...Array.from(from.values(), (each) => each.dueUs));
        oldest.set(clientId, Math.min(oldest.get(clientId) ?? Infinity, dueUs));
      }
      return oldest;
    },
  };
}
