import type { Clock } from '../../../shared/ports/clock.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { StartRefusedError } from '../../../shared/runtime/process/start-refused.ts';

/** Milliseconds between two checks of the database. A good result is trusted for this long. */
const lookMs = 5_000;
const afterErrorMs = 1_000;

export interface DatabaseLookDeps {
  /**
   * Checks schema and configuration, and resolves with the installation's id. Throws if this process may not take part.
   */
  takePart: () => Promise<string>;
  ping: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
}

/**
 * Repeated check of the database. While the database is not usable, the API keeps running, reports the reason, and
 * serves as soon as the database is usable.
 */
export interface DatabaseLook {
  /** Checks once. Rejects with the reason. */
  look(): Promise<void>;
  /** Rejects while the database is not usable or unavailable. */
  require: () => Promise<void>;
  /** Returns the reason why this process may not take part; undefined if it may, or before the first check. */
  refusal: () => Error | undefined;
  /** Undefined before the first successful check. */
  installationId: () => string | undefined;
  start(): void;
  stop(): Promise<void>;
}

export function createDatabaseLook({ takePart, ping, clock, logger }: DatabaseLookDeps): DatabaseLook {
  let problem: Error | undefined = new Error('has not looked at its database yet');
  let installationId: string | undefined;

  async function look(): Promise<void> {
    try {
      installationId = await takePart();
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      throw problem;
    }
  }

  const turn = () => look().then(() => lookMs);
  const loop = createLoop({ name: 'look-at-database', turn, afterErrorMs, clock, logger });
  return {
    look,
    require: async () => {
      if (problem) throw problem;
      await ping();
    },
    refusal: () => (problem instanceof StartRefusedError ? problem : undefined),
    installationId: () => installationId,
    start: () => loop.start(),
    stop: () => loop.stop(),
  };
}
