import type { Clock } from '../ports/clock.ts';
import type { Logger } from './logger.ts';

export interface FoldedLogDeps {
  logger: Logger;
  clock: Clock;
  failing: string;
  fields?: object;
}

/**
 * Logs a repeated failure in few lines: one at the first failure, one each 30 s with the number of failures since, and
 * one on recovery. Sources that fail of the same cause share these lines.
 */
export interface FoldedLog {
  failed(source: object, error: unknown): void;
  /** Records that the source works. Call it after each success; it is cheap while nothing fails. */
  worked(source: object): void;
  /** Removes a source: its recovery is not awaited. */
  forget(source: object): void;
}

const everyMs = 30_000;

interface Failing {
  sources: Set<object>;
  sinceMs: number;
  failures: number;
  loggedMs: number;
  loggedFailures: number;
}

export function createFoldedLog({ logger, clock, failing, fields = {} }: FoldedLogDeps): FoldedLog {
  let current: Failing | undefined;

  function end(source: object): Failing | undefined {
    if (!current?.sources.delete(source) || current.sources.size > 0) return undefined;
    const ended = current;
    current = undefined;
    return ended;
  }

  return {
    failed: (source, error) => {
      const nowMs = clock.monotonicMs();
      if (!current) {
        current = { sources: new Set([source]), sinceMs: nowMs, failures: 1, loggedMs: nowMs, loggedFailures: 1 };
        logger.warn({ ...fields, err: error }, failing);
        return;
      }
      current.sources.add(source);
      current.failures += 1;
      if (nowMs - current.loggedMs < everyMs) return;
      const failures = current.failures - current.loggedFailures;
      // No stack here: the first line has it.
      logger.warn({ ...fields, failures, cause: textOf(error) }, `${failing}, still`);
      current.loggedMs = nowMs;
      current.loggedFailures = current.failures;
    },

    worked: (source) => {
      const ended = end(source);
      if (!ended) return;
      const seconds = Math.round((clock.monotonicMs() - ended.sinceMs) / 1000);
      logger.info({ ...fields, failures: ended.failures }, `back after ${seconds} s`);
    },

    forget: (source) => void end(source),
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message || error.name : String(error);
}
