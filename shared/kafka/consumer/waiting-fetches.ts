import type { Clock } from '../../ports/clock.ts';

/**
 * Interval of heartbeats, in milliseconds. A member learns of a rebalance from its next heartbeat, so a rebalance takes
 * about this long.
 */
export const heartbeatIntervalMs = 1_000;

/** Fetch in flight. `drop` gives the fetch up; it resolves to false if that is not possible. */
export interface FetchUnderWay<Answer> {
  answer: Promise<Answer>;
  drop: () => Promise<boolean>;
}

/**
 * Fetches of a consumer with nothing in work. Brokers may hold such fetches for longer than the interval of heartbeats.
 * kafkajs sends heartbeats only between two fetches, so further heartbeats are sent from here during a fetch. If the
 * consumer has other work, the fetches end.
 */
export interface WaitingFetches {
  /** Resolves with the answer, or with `instead` if the fetch was given up. */
  wait<Answer>(fetch: FetchUnderWay<Answer>, instead: Answer): Promise<Answer>;
  interrupt(): void;
  /** Gives up the waiting fetches, and forbids further ones. */
  end(): void;
  readonly isOver: boolean;
}

export interface WaitingFetchesDeps {
  /** Rejects if the member has other work than waiting. */
  heartbeat: () => Promise<unknown>;
  clock: Pick<Clock, 'sleep'>;
}

export function createWaitingFetches({ heartbeat, clock }: WaitingFetchesDeps): WaitingFetches {
  const waiting = new Set<() => void>();
  let beating = new AbortController();
  let isOver = false;

  function interrupt(): void {
    for (const end of [...waiting]) end();
  }

  async function beat(ended: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(heartbeatIntervalMs, ended);
      if (ended.aborted) return;
      try {
        await heartbeat();
      } catch {
        // kafkajs gets the same error from its own next heartbeat, which follows now, and handles it.
        interrupt();
        return;
      }
    }
  }

  return {
    wait: async ({ answer, drop }, instead) => {
      const given = Promise.withResolvers<null>();
      const end = () => given.resolve(null);
      waiting.add(end);
      if (waiting.size === 1) {
        beating = new AbortController();
        void beat(beating.signal);
      }
      try {
        const isAnswered = await Promise.race([answer.then(() => true), given.promise.then(() => false)]);
        if (isAnswered || !(await drop())) return await answer;
        return instead;
      } finally {
        waiting.delete(end);
        if (waiting.size === 0) beating.abort();
      }
    },
    interrupt,
    end: () => {
      isOver = true;
      interrupt();
    },
    get isOver() {
      return isOver;
    },
  };
}
