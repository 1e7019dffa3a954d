/** Interval in which running calls are checked for their deadline: one timer for all instead of one for each. */
const checkEveryMs = 50;

/**
 * Upper bound on the poll phases for which a call is read beyond its deadline. A phase reads 64 KiB of a socket, and a
 * socket holds 6 MiB by default at most.
 */
const maxLatePhases = 100;

export interface TimedCall {
  /** By `performance.now()`. */
  readonly deadline: number;
  /** Bytes of the answer that were read so far. */
  readonly bytesRead: number;
  /** Gives up the call, unless it has ended. */
  expire(): void;
}

export interface CallDeadlines {
  /** Begins checking, until no call is running. */
  watch(): void;
  stop(): void;
}

/**
 * Expires calls at their deadline.
 *
 * Timers run before sockets are read. After a pause of the process (garbage collection, SIGSTOP, a paused virtual
 * machine) the deadlines of calls have passed whose answers are in the buffers of the sockets. So a call expires only
 * after a poll phase that brought no byte of its answer.
 *
 * @param running returns the calls that have not ended
 */
export function createCallDeadlines(running: () => readonly TimedCall[]): CallDeadlines {
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const calls = running();
    // Without calls no timer is set: an idle process would do little else.
    if (calls.length === 0) {
      timer = undefined;
      return;
    }
    timer?.refresh();
    const now = performance.now();
    const due = calls.filter(({ deadline }) => deadline <= now);
    if (due.length > 0) expireOnceRead(due, maxLatePhases);
  }

  return {
    watch: () => {
      timer ??= setTimeout(check, checkEveryMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

/** Expires each of the calls after the first poll phase that brings it no byte. */
function expireOnceRead(calls: readonly TimedCall[], phasesLeft: number): void {
  const before = calls.map(({ bytesRead }) => bytesRead);
  setImmediate(() => {
    const isBeingRead = ({ bytesRead }: TimedCall, index: number) => bytesRead !== before[index];
    const later = phasesLeft > 1 ? calls.filter(isBeingRead) : [];
    const kept = new Set(later);
    for (const call of calls) if (!kept.has(call)) call.expire();
    if (later.length > 0) expireOnceRead(later, phasesLeft - 1);
  });
}
