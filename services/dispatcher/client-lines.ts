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
  /** How many more may be claimed for the client: what it has waits for less than one more round of its slots. */
  roomOf(clientId: string): number;
  /** Takes out what waits. */
  clear(): HeldJob[];
}

interface Line {
  waiting: HeldJob[];
  inFlight: number;
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
        const line = lines.get(job.clientId) ?? { waiting: [], inFlight: 0 };
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
      // The slot is the client's own again, unless all slots together are too few.
      if (inFlight < concurrency - 1) startSome(clientId, line);
      else startOthers();
      if (line.waiting.length === 0 && line.inFlight === 0) lines.delete(clientId);
    },
    roomOf: (clientId) => {
      const line = lines.get(clientId);
      const own = Math.min(concurrencyOf(clientId), concurrency);
      return 2 * own - (line ? line.waiting.length + line.inFlight : 0);
    },
    clear: () => {
      const left: HeldJob[] = [];
      for (const line of lines.values()) left.push(...line.waiting.splice(0));
      waiting = 0;
      return left;
    },
  };
}
