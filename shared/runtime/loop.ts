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
  /** At least so long from the beginning of one turn to that of the next, however often it is poked. */
  minBetweenMs?: number;
  clock: Clock;
  logger: Logger;
}

/** Something that runs until it is stopped. Stopping twice, or before start, is fine. */
export interface Loop {
  start(): void;
  /** Ends the pause: the next turn begins at once, or right after the running one, unless that is too soon. */
  poke(): void;
  /** Resolves when the running turn is over. */
  stop(): Promise<void>;
  /**
   * How long ago a turn that went well should have been followed by another, in milliseconds; 0 while it is not
   * overdue.
   */
  overdueMs(): number;
}

const poked = 'poked';

/** Loops of one name that log to the same place fail of the same cause: hundreds of feeds, one database. */
const families = new WeakMap<Logger, Map<string, Family>>();

interface Family {
  log: FoldedLog;
  running: Set<Loop>;
}

/**
 * @param limitMs how far behind is too far
 * @returns what to say of the loops that log to this place and are too far behind; one of a name that turns is enough
 * for its name
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
  /** When the next good turn should have ended at the latest, were turns to take no time. */
  let expectedMs = Infinity;

  const stopped = () => stopping.signal.aborted;

  async function run(): Promise<void> {
    expectedMs = clock.monotonicMs();
    while (!stopped()) {
      // A fresh signal per turn, taken before it: a poke during the turn must not be lost. Stopping pokes too.
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
      // Called for every batch: without a reason of its own, each abort would make an exception with a stack.
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
