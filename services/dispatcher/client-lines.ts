import type { HeldJob } from './held-job.ts';

export interface ClientLinesDeps {
  /** Calls in flight at once, over all clients. */
  concurrency: number;
  concurrencyOf: (clientId: string) => number;
  /** Begins the call of a job; its slot is given back by `done`. */
  start: (job: HeldJob) => void;
}

/** Claimed jobs that wait for a slot: each client has its own, so that slow calls of one fill nobody else's. */
export interface ClientLines {
  readonly waiting: number;
  readonly inFlight: number;
  add(jobs: readonly HeldJob[]): void;
  /** The call of one of this client's jobs has ended. */
  done(clientId: string): void;
  /**
   * How many more may be claimed for the client. What it has waits for less than one more round of its slots, or, where calls are so quick that
   * slots would be empty before the next claims come, for less than two rounds of claims at its pace.
   */
  roomOf(clientId: string): number;
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

export function createClientLines({ concurrency, concurrencyOf, start }: ClientLinesDeps): ClientLines {
  const lines = new Map<string, Line>();
  let waiting = 0;
  let inFlight = 0;

  function startSome(clientId: string, line: Line): void {
    while (inFlight < concurrency && line.inFlight < concurrencyOf(clientId)) {
      const job = line.waiting.shift();
      if (!job) return;
      waiting--;
      line.inFlight++;
      inFlight++;
      start(job);
    }
  }

  /** One job of each client in turn, while there are slots. */
  function startOthers(): void {
    for (const [clientId, line] of [...lines]) {
      if (waiting === 0 || inFlight >= concurrency) return;
      if (line.waiting.length === 0 || line.inFlight >= concurrencyOf(clientId)) continue;
      const job = line.waiting.shift();
      if (!job) continue;
      waiting--;
      line.inFlight++;
      inFlight++;
      // Behind the others for the next slot.
      lines.delete(clientId);
      lines.set(clientId, line);
      start(job);
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
        startSome(job.clientId, line);
      }
    },
    done: (clientId) => {
      const line = lines.get(clientId);
      if (!line) return;
      inFlight--;
      line.inFlight--;
      line.ended++;
      // The slot is the client's own again, unless all slots together are too few.
      if (inFlight < concurrency - 1) startSome(clientId, line);
      else startOthers();
    },
    roomOf: (clientId) => {
      const line = lines.get(clientId);
      const own = Math.min(concurrencyOf(clientId), concurrency);
      if (!line) return 2 * own;
      const pace = Math.max(line.pace, line.ended);
      return own + Math.max(own, 2 * pace) - line.waiting.length - line.inFlight;
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
