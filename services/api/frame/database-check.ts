import type { Clock } from '../../../shared/ports/clock.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { StartRefusedError } from '../../../shared/runtime/process/start-refused.ts';

/** Milliseconds between two checks of the database. A successful check is valid for this long. */
const checkEveryMs = 5_000;
const afterErrorMs = 1_000;

export interface DatabaseCheckDeps {
  /**
   * Checks schema and configuration. Resolves with the id of the installation. Rejects if this process may not use the
   * database.
   */
  takePart: () => Promise<string>;
  ping: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
}

/**
 * Repeated check of the database. While the check fails, the API keeps running, reports the reason, and refuses
 * requests.
 */
export interface DatabaseCheck {
  /** Checks the database once. Rejects with the reason if it is unusable. */
  check(): Promise<void>;
  /** Rejects while the database is unusable or unavailable. */
  require: () => Promise<void>;
  /**
   * Returns the reason why this process may not use the database. Undefined if the process may use it, and before the
   * first check.
   */
  refusal: () => Error | undefined;
  /** Returns the id of the installation; undefined before the first successful check. */
  installationId: () => string | undefined;
  start(): void;
  stop(): Promise<void>;
}

export function createDatabaseCheck({ takePart, ping, clock, logger }: DatabaseCheckDeps): DatabaseCheck {
  let problem: Error | undefined = new Error('has not checked its database yet');
  let installationId: string | undefined;

  async function check(): Promise<void> {
    try {
      installationId = await takePart();
      problem = undefined;
    } catch (error) {
      problem = error instanceof Error ? error : new Error(String(error));
      throw problem;
    }
  }

  const turn = () => check().then(() => checkEveryMs);
  const loop = createLoop({ name: 'look-at-database', turn, afterErrorMs, clock, logger });
  return {
    check,
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
