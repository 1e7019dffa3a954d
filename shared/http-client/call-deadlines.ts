import { afterReading } from '../runtime/after-reading.ts';

/** Interval in milliseconds at which running calls are checked for their deadline: one timer for all calls. */
const checkEveryMs = 50;

export interface TimedCall {
  /** Time by `performance.now()`. */
  readonly deadline: number;
  readonly bytesRead: number;
  expire(): void;
}

export interface CallDeadlines {
  /** Begins checking, until no call is running. */
  watch(): void;
  stop(): void;
}

/**
 * Creates the deadlines of calls. A call expires only after the arrived bytes of its answer were read.
 * @param running returns the calls in progress
 */
export function createCallDeadlines(running: () => readonly TimedCall[]): CallDeadlines {
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const calls = running();
    // Without calls no timer is set: otherwise an idle process would keep waking up.
    if (calls.length === 0) {
      timer = undefined;
      return;
    }
    timer?.refresh();
    const now = performance.now();
    for (const call of calls) if (call.deadline <= now) expireOnceRead(call);
  }

  return {
    watch: () => {
      timer ??= setTimeout(check, checkEveryMs).unref();
    },
    stop: () => clearTimeout(timer),
  };
}

function expireOnceRead(call: TimedCall): void {
  const bytesRead = () => call.bytesRead;
  afterReading(bytesRead, () => call.expire());
}
