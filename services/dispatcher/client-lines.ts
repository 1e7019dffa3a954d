import type { HeldJob } from './held-job.ts';

export interface ClientLinesDeps {
  /** Calls in flight at once, over all clients; beside it, one of each. */
  concurrency: number;
  /** Claimed jobs that wait for a slot, over all clients; beside it, one of each. */
  maxWaiting: number;
  concurrencyOf: (clientId: string) => number;
  /** Begins the call of a job; its slot is given back by `done`. */
  start: (job: HeldJob) => void;
}

/**
 * Claimed jobs that wait for a slot. What is shared, slots as well as claims, a client may have as much of as is free beside it: half of all when
 * it is alone, and whoever comes finds room. Where many have calls that hang, each client still has one call and one claim, beyond the sum.
 */
export interface ClientLines {
  readonly waiting: number;
  readonly inFlight: number;
  add(jobs: readonly HeldJob[]): void;
  /** The call of one of this client's jobs has ended. */
  done(clientId: string): void;
  /**
   * How many more may be claimed for the client. What it has waits for less than one more round of its slots, or, where calls are so quick that
   * slots would be empty before the next claims come, for less than two rounds of claims at its pace.
   * @param forOthers claims that are about to be made for others
   */
  roomOf(clientId: string, forOthers?: number): number;
  /** What comes from here on is claimed by the next flush: paces are taken from one to the next. */
  endRound(): void;
  /** Takes out what waits. */
  clear(): HeldJob[];
}

interface Line {
  waiting: HeldJob[];
  inFlight: number;
  /** Calls that have ended in this round of claims, and in the one before. */
  ended: number;
  pace: number;
}

export function createClientLines(deps: ClientLinesDeps): ClientLines {
  const { concurrency, maxWaiting, concurrencyOf, start } = deps;
  const lines = new Map<string, Line>();
  let waiting = 0;
  let inFlight = 0;

  const hasSlot = (clientId: string, line: Line) =>
    line.inFlight < Math.min(concurrencyOf(clientId), Math.max(1, concurrency - inFlight));

  /** @returns whether one of its jobs was begun */
  function startOne(clientId: string, line: Line): boolean {
    if (!hasSlot(clientId, line)) return false;
    const job = line.waiting.shift();
    if (!job) return false;
    waiting--;
    line.inFlight++;
    inFlight++;
    start(job);
    return true;
  }

  /** One job of each client in turn: what one gives back may be room for another. */
  function startOthers(): void {
    for (const [clientId, line] of [...lines]) {
      if (waiting === 0) return;
      if (!startOne(clientId, line)) continue;
      // Behind the others for the next slot.
      lines.delete(clientId);
      lines.set(clientId, line);
    }
  }

  return {
    get waiting() {
      return waiting;
    },
    get inFlight() {
      return inFlight;
    },
    add: (jobs) => {
      for (const job of jobs) {
        const line = lines.get(job.clientId) ?? { waiting: [], inFlight: 0, ended: 0, pace: 0 };
        lines.set(job.clientId, line);
        line.waiting.push(job);
        waiting++;
        startOne(job.clientId, line);
      }
    },
    done: (clientId) => {
      const line = lines.get(clientId);
      if (!line) return;
      inFlight--;
      line.inFlight--;
      line.ended++;
      // The slot is the client's own again, unless all slots together are few.
      if (inFlight >= concurrency / 2) startOthers();
      else while (startOne(clientId, line));
    },
    roomOf: (clientId, forOthers = 0) => {
      const line = lines.get(clientId);
      const own = Math.min(concurrencyOf(clientId), concurrency);
      const waits = line?.waiting.length ?? 0;
      const mine = Math.max(1, Math.floor((maxWaiting - waiting - forOthers + waits) / 2));
      const pace = line ? Math.max(line.pace, line.ended) : 0;
      const wanted = own + Math.max(own, 2 * pace) - (line?.inFlight ?? 0);
      return Math.min(wanted, mine) - waits;
    },
    endRound: () => {
      for (const [clientId, line] of [...lines]) {
        line.pace = line.ended;
        line.ended = 0;
        if (line.waiting.length === 0 && line.inFlight === 0 && line.pace === 0) lines.delete(clientId);
      }
    },
    clear: () => {
      const left: HeldJob[] = [];
      for (const line of lines.values()) left.push(...line.waiting.splice(0));
      waiting = 0;
      return left;
    },
  };
}
