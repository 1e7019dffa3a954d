import type { Clock } from '../../ports/clock.ts';

/** A live member hears of a rebalance with its next heartbeat, so this is about how long one takes. */
export const heartbeatIntervalMs = 1_000;

/** A fetch that is under way, and how it is given up; false where that cannot be. */
export interface FetchUnderWay<Answer> {
  answer: Promise<Answer>;
  drop: () => Promise<boolean>;
}

/**
 * Fetches of a consumer that has nothing in work: brokers may keep them for longer than heartbeats are apart. kafkajs
 * beats between two fetches only, so here others beat beside them; and where something else is to be done, they end.
 */
export interface WaitingFetches {
  /** Resolves with the answer, or with `instead` when it was given up. */
  wait<Answer>(fetch: FetchUnderWay<Answer>, instead: Answer): Promise<Answer>;
  /** Gives up those that wait. */
  interrupt(): void;
  /** The same, and from now on none is to be asked. */
  end(): void;
  readonly isOver: boolean;
}

export interface WaitingFetchesDeps {
  /** Rejects when the member has something else to do than to wait. */
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
        // With its own next heartbeat, which follows now, kafkajs hears the same, and does what is to be done.
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
