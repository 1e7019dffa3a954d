import type { Clock } from '../ports/clock.ts';
import { createFoldedLog, type FoldedLog } from './folded-log.ts';
import type { Logger } from './logger.ts';

export interface LoopOptions {
  name: string;
  /** Returns the pause before the next turn, in ms. An error is logged; the loop continues after `afterErrorMs`. */
  turn: (signal: AbortSignal) => Promise<number>;
  afterErrorMs: number;
  /** Minimum time from the start of one turn to the start of the next, also when poked. */
  minBetweenMs?: number;
  clock: Clock;
  logger: Logger;
}

/** A task that runs until it is stopped. `stop` may be called twice, or before start. */
export interface Loop {
  start(): void;
  /** Ends the pause: the next turn begins at once, or right after the running one, unless that is too soon. */
  poke(): void;
  /** Resolves when the running turn has ended. */
  stop(): Promise<void>;
  /** Returns by how many milliseconds the next successful turn is overdue; 0 if it is not. */
  overdueMs(): number;
}

const poked = 'poked';

/** Loops of one name that share a logger fail of the same cause: hundreds of feeds, one database. */
const families = new WeakMap<Logger, Map<string, Family>>();

interface Family {
  log: FoldedLog;
  running: Set<Loop>;
}

/**
 * Describes overdue loops of this logger. A name is not overdue while one of its loops is on time.
 * @param limitMs overdue time that counts as stuck
 * @returns a line for each overdue name
 */
export function stuckLoops(logger: Logger, limitMs: number): string[] {
  return [...(families.get(logger) ?? [])].flatMap(([name, { running }]) => {
    const leastMs = Math.min(...[...running].map((loop) => loop.overdueMs()));
    return running.size > 0 && leastMs > limitMs
      ? [`${name} has not turned well for ${Math.round(leastMs / 1000)} s`]
      : [];
  });
}

export function createLoop({ name, turn, afterErrorMs, minBetweenMs = 0, clock, logger }: LoopOptions): Loop {
  const stopping = new AbortController();
  const family = familyOf(name, logger, clock);
  const { log } = family;
  const source = {};
  let running: Promise<void> | undefined;
  let pause = new AbortController();
  /** Latest end of the next successful turn, if turns took no time. */
  let expectedMs = Infinity;

  const stopped = () => stopping.signal.aborted;

  async function run(): Promise<void> {
    expectedMs = clock.monotonicMs();
    while (!stopped()) {
      // Each turn has a fresh signal, created before it, so that a poke during the turn is not lost. Stopping pokes
      // too.
      pause = new AbortController();
      const woken = pause.signal;
      const begunMs = clock.monotonicMs();
      let pauseMs = afterErrorMs;
      try {
        pauseMs = await turn(stopping.signal);
        expectedMs = clock.monotonicMs() + pauseMs;
        log.worked(source);
      } catch (error) {
        if (!stopped()) log.failed(source, error);
      }
      await clock.sleep(pauseMs, woken);
      const tooSoonMs = begunMs + minBetweenMs - clock.monotonicMs();
      if (tooSoonMs > 0) await clock.sleep(tooSoonMs, stopping.signal);
    }
    expectedMs = Infinity;
    family.running.delete(loop);
    log.forget(source);
  }

  const loop: Loop = {
    start: () => {
      if (running || stopped()) return;
      family.running.add(loop);
      running = run();
    },
    poke: () => {
      // Called for every batch: without a reason, each abort would create an exception with a stack.
      if (!pause.signal.aborted) pause.abort(poked);
    },
    stop: async () => {
      stopping.abort();
      loop.poke();
      await running;
    },
    overdueMs: () => Math.max(0, clock.monotonicMs() - expectedMs),
  };
  return loop;
}

function familyOf(name: string, logger: Logger, clock: Clock): Family {
  const ofLogger = families.get(logger) ?? new Map<string, Family>();
  families.set(logger, ofLogger);
  const known = ofLogger.get(name);
  if (known) return known;
  const log = createFoldedLog({ logger, clock, failing: 'loop turn failed, trying again', fields: { loop: name } });
  const family = { log, running: new Set<Loop>() };
  ofLogger.set(name, family);
  return family;
}
