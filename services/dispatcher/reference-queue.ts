import type { JobReference } from '../../shared/domain/job/job-key.ts';
import type { Lane, LaneMessage } from '../../shared/ports/message-bus.ts';

/** A message of which some references are not handled yet. */
export interface OpenMessage {
  readonly message: LaneMessage;
  open: number;
}

export interface QueuedReference extends JobReference {
  readonly origin: OpenMessage;
}

/** References that wait for their claim, client by client, so that none of them waits behind another's crowd. */
export interface ReferenceQueue {
  readonly size: number;
  add(references: readonly QueuedReference[]): void;
  /**
   * Takes from all clients that have room, in turn, the oldest first of each.
   * @param roomOf how many more may be claimed for the client, when so many are for others; below 0: it has more than it should, as its calls became slow
   */
  take(max: number, roomOf: (clientId: string, forOthers: number) => number): QueuedReference[];
  /** In front of what waits. */
  putBack(references: readonly QueuedReference[]): void;
  /** Forgets what came by this lane. */
  drop(lane: Lane): void;
  clear(): void;
}

/** The first `taken` are gone already: cutting them off one by one would cost as much as there are. */
interface Line {
  references: QueuedReference[];
  taken: number;
}

export function createReferenceQueue(): ReferenceQueue {
  const lines = new Map<string, Line>();
  let size = 0;

  function lineOf(clientId: string): Line {
    const known = lines.get(clientId);
    if (known) return known;
    const line = { references: [], taken: 0 };
    lines.set(clientId, line);
    return line;
  }

  function takeFrom(line: Line, count: number): QueuedReference[] {
    const taken = line.references.slice(line.taken, line.taken + count);
    line.taken += taken.length;
    size -= taken.length;
    if (line.taken > 1000 && line.taken * 2 > line.references.length) {
      line.references = line.references.slice(line.taken);
      line.taken = 0;
    }
    return taken;
  }

  return {
    get size() {
      return size;
    },
    add: (references) => {
      for (const reference of references) lineOf(reference.clientId).references.push(reference);
      size += references.length;
    },
    take: (max, roomOf) => {
      const taken: QueuedReference[] = [];
      const takenOf = new Map<string, number>();
      // The first round gives each its share, the second what others left of theirs.
      for (const share of [Math.max(1, Math.floor(max / Math.max(1, lines.size))), max]) {
        for (const [clientId, line] of [...lines]) {
          const own = takenOf.get(clientId) ?? 0;
          const room = roomOf(clientId, taken.length - own) - own;
          const got = takeFrom(line, Math.max(0, Math.min(room, share, max - taken.length)));
          if (got.length === 0) continue;
          taken.push(...got);
          takenOf.set(clientId, own + got.length);
          lines.delete(clientId);
          // Who was served goes to the end of the round.
          if (line.taken < line.references.length) lines.set(clientId, line);
        }
      }
      return taken;
    },
    putBack: (references) => {
      for (const [clientId, ofClient] of Map.groupBy(references, (reference) => reference.clientId)) {
        const line = lineOf(clientId);
        line.references = [...ofClient, ...line.references.slice(line.taken)];
        line.taken = 0;
      }
      size += references.length;
    },
    drop: (lane) => {
      size = 0;
      for (const [clientId, line] of [...lines]) {
        line.references = line.references.slice(line.taken).filter(({ origin }) => origin.message.lane !== lane);
        line.taken = 0;
        size += line.references.length;
        if (line.references.length === 0) lines.delete(clientId);
      }
    },
    clear: () => {
      lines.clear();
      size = 0;
    },
  };
}
