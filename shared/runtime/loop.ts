import type { Clock } from '../ports/clock.ts';
import type { Logger } from './logger.ts';

export interface LoopOptions {
  name: string;
  /**
   * One turn. What it returns is the pause before the next one, in milliseconds.
   * An error is logged and the loop goes on after `afterErrorMs`.
   */
  turn: (signal: AbortSignal) => Promise<number>;
  afterErrorMs: number;
  clock: Clock;
  logger: Logger;
}

/** Something that runs until it is stopped. Stopping twice, or before start, is fine. */
export interface Loop {
  start(): void;
  /** Ends the pause: the next turn begins at once, or right after the running one. */
  poke(): void;
  /** Resolves when the running turn is over. */
  stop(): Promise<void>;
}

const poked = 'poked';

export function createLoop({ name, turn, afterErrorMs, clock, logger }: LoopOptions): Loop {
  const stopping = new AbortController();
  let running: Promise<void> | undefined;
  let pause = new AbortController();

  const stopped = () => stopping.signal.aborted;

  async function run(): Promise<void> {
    while (!stopped()) {
      // A fresh signal per turn, taken before it: a poke during the turn must not be lost.
      pause = new AbortController();
      const woken = AbortSignal.any([pause.signal, stopping.signal]);
      let pauseMs = afterErrorMs;
      try {
        pauseMs = await turn(stopping.signal);
      } catch (error) {
        if (!stopped()) logger.warn({ err: error, loop: name }, 'loop turn failed, trying again');
      }
      await clock.sleep(pauseMs, woken);
    }
  }

  return {
    start: () => {
      running ??= run();
    },
    poke: () => {
      // Called for every batch: without a reason of its own, each abort would make an exception with a stack.
      if (!pause.signal.aborted) pause.abort(poked);
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
}
