import type { Clock } from '../ports/clock.ts';
import { createFoldedLog, type FoldedLog } from './folded-log.ts';
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
  /** How long ago a turn that went well should have been followed by another, in milliseconds; 0 while it is not overdue. */
  overdueMs(): number;
}

const poked = 'poked';

/** Loops of one name that log to the same place fail of the same cause: hundreds of feeds, one database. */
const foldedLogs = new WeakMap<Logger, Map<string, FoldedLog>>();

export function createLoop({ name, turn, afterErrorMs, clock, logger }: LoopOptions): Loop {
  const stopping = new AbortController();
  const log = foldedLogOf(name, logger, clock);
  const source = {};
  let running: Promise<void> | undefined;
  let pause = new AbortController();
  /** When the next good turn should have ended at the latest, were turns to take no time. */
  let expectedMs = Infinity;

  const stopped = () => stopping.signal.aborted;

  async function run(): Promise<void> {
    expectedMs = clock.monotonicMs();
    while (!stopped()) {
      // A fresh signal per turn, taken before it: a poke during the turn must not be lost.
      pause = new AbortController();
      const woken = AbortSignal.any([pause.signal, stopping.signal]);
      let pauseMs = afterErrorMs;
      try {
        pauseMs = await turn(stopping.signal);
        expectedMs = clock.monotonicMs() + pauseMs;
        log.worked(source);
      } catch (error) {
        if (!stopped()) log.failed(source, error);
      }
      await clock.sleep(pauseMs, woken);
    }
    expectedMs = Infinity;
    log.forget(source);
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
    overdueMs: () => Math.max(0, clock.monotonicMs() - expectedMs),
  };
}

function foldedLogOf(loop: string, logger: Logger, clock: Clock): FoldedLog {
  const ofLogger = foldedLogs.get(logger) ?? new Map<string, FoldedLog>();
  foldedLogs.set(logger, ofLogger);
  const log =
    ofLogger.get(loop) ??
    createFoldedLog({ logger, clock, failing: 'loop turn failed, trying again', fields: { loop } });
  ofLogger.set(loop, log);
  return log;
}
