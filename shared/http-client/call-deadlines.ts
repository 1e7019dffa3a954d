import { afterReading } from '../runtime/after-reading.ts';

/** Interval in which running calls are checked for their deadline: one timer for all instead of one for each. */
const checkEveryMs = 50;

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
 * Expires calls at their deadline, once what has arrived of their answers by then is read.
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
