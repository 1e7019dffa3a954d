import type { JobReference } from '../../shared/domain/job/job-key.ts';
import { firstMark, isBehind, justBefore, type Mark } from './ports/due-references.ts';

/** Where reading goes on for one client that is behind, by partition. */
export interface ClientBehind {
  clientId: string;
  from: ReadonlyMap<number, Mark>;
}

interface Behind {
  mark: Mark;
  /** Due time of what is read next, as far as is known: also after a mark went back to the beginning. */
  dueUs: number;
  /** How many looks had begun when it caught up: those that begin later do not pass over it any more. */
  caughtUpAt?: number;
}

/**
 * Clients of which more is due than may be offered. Everybody's look passes over their rows, inside Postgres; they are
 * read from marks of their own when there is credit again.
 */
export interface ClientsBehind {
  readonly size: number;
  has(clientId: string, partition: number): boolean;
  /** Everybody's look begins, and passes over those that are behind by then. */
  beginLook(): void;
  endLook(): void;
  readonly isLookUnderWay: boolean;
  /** Where its reading goes on; undefined when it is not behind there. */
  markOf(clientId: string, partition: number): Mark | undefined;
  /** Whether this job will be read from its client's own mark. */
  covers(reference: JobReference): boolean;
  /** Whose rows are passed over in this partition. */
  in(partition: number): string[];
  isPassedOver(clientId: string, partition: number): boolean;
  /** Read up to there, which is where everybody's look stood: that may see to what comes after it. */
  catchUp(clientId: string, partition: number, mark: Mark): void;
  /** It caught up, and no look passes over it any more: what is left up to where everybody's stands is the last. */
  isLast(clientId: string, partition: number): boolean;
  /**
   * From this job on the client's rows in its partition are passed over; one that is behind already goes back to it.
   */
  add(reference: JobReference): void;
  /** In turn: every client once, then all that are behind by then. At most so many, of those that may be read now. */
  next(most: number, mayRead: (clientId: string) => boolean): ClientBehind[];
  /** Whether this turn is not over yet. */
  readonly isMidTurn: boolean;
  /** Read up to there. */
  advance(clientId: string, partition: number, mark: Mark): void;
  /** Nothing of it is left up to where everybody's look stands. */
  end(clientId: string, partition: number): void;
  /** All are read again from the beginning: what was offered may be lost. */
  rewind(): void;
  keepOnly(partitions: ReadonlySet<number>): void;
  /** By client, when the oldest of what is left of it fell due. */
  oldest(): Map<string, number>;
}

export function createClientsBehind(): ClientsBehind {
  /** By client and partition. */
  const behind = new Map<string, Map<number, Behind>>();
  /** Who has not had its turn. */
  let turn: string[] = [];
  let [begun, ended] = [0, 0];

  const find = (clientId: string, partition: number) => behind.get(clientId)?.get(partition);
  const isPassedOver = (known: Behind | undefined) => known !== undefined && known.caughtUpAt === undefined;

  function end(clientId: string, partition: number): void {
    const ofClient = behind.get(clientId);
    ofClient?.delete(partition);
    if (ofClient?.size === 0) behind.delete(clientId);
  }

  return {
    get size() {
      return behind.size;
    },
    get isMidTurn() {
      return turn.length > 0;
    },
    has: (clientId, partition) => find(clientId, partition) !== undefined,
    beginLook: () => {
      begun++;
    },
    endLook: () => {
      ended = begun;
    },
    get isLookUnderWay() {
      return begun > ended;
    },
    isPassedOver: (clientId, partition) => isPassedOver(find(clientId, partition)),
    catchUp: (clientId, partition, mark) => {
      behind.get(clientId)?.set(partition, { mark, dueUs: mark.dueUs, caughtUpAt: begun });
    },
    isLast: (clientId, partition) => {
      const caughtUpAt = find(clientId, partition)?.caughtUpAt;
      return caughtUpAt !== undefined && ended >= caughtUpAt;
    },
    markOf: (clientId, partition) => find(clientId, partition)?.mark,
    covers: (reference) => {
      const known = find(reference.clientId, reference.partition);
      return known !== undefined && isBehind(reference, known.mark);
    },
    in: (partition) => [...behind].flatMap(([clientId, from]) => (isPassedOver(from.get(partition)) ? clientId : [])),
    add: (reference) => {
      const { clientId, partition, dueUs } = reference;
      const ofClient = behind.get(clientId) ?? new Map<number, Behind>();
      behind.set(clientId, ofClient);
      const mark = justBefore(reference);
      const known = ofClient.get(partition);
      if (!known || isBehind(known.mark, mark)) ofClient.set(partition, { mark, dueUs });
      else ofClient.set(partition, { mark: known.mark, dueUs: known.dueUs });
    },
    next: (most, mayRead) => {
      if (turn.length === 0) turn = [...behind.keys()];
      const chosen: ClientBehind[] = [];
      while (chosen.length < most && turn.length > 0) {
        const clientId = turn.shift() ?? '';
        const from = behind.get(clientId);
        if (from && mayRead(clientId)) {
          chosen.push({ clientId, from: new Map(Array.from(from, ([partition, { mark }]) => [partition, mark])) });
        }
      }
      return chosen;
    },
    advance: (clientId, partition, mark) => {
      behind.get(clientId)?.set(partition, { mark, dueUs: mark.dueUs });
    },
    end,
    rewind: () => {
      for (const ofClient of behind.values()) {
        for (const [partition, { dueUs }] of ofClient) ofClient.set(partition, { mark: firstMark, dueUs });
      }
    },
    keepOnly: (partitions) => {
      for (const [clientId, ofClient] of [...behind]) {
        for (const partition of [...ofClient.keys()]) if (!partitions.has(partition)) end(clientId, partition);
      }
    },
    oldest: () => {
      const oldestOf = (ofClient: Map<number, Behind>) =>
        Math.min(...Array.from(ofClient.values(), ({ dueUs }) => dueUs));
      return new Map(Array.from(behind, ([clientId, ofClient]) => [clientId, oldestOf(ofClient)]));
    },
  };
}
