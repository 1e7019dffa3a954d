import type { Clock } from '../../../shared/ports/clock.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { StartRefusedError } from '../../../shared/runtime/process/start-refused.ts';

/** How often the API looks whether its database is as it has to be; that it was is believed for as long. */
const lookMs = 5_000;
const afterErrorMs = 1_000;

export interface DatabaseLookDeps {
  /**
   * Checks schema and configuration. Resolves with the installation's id; throws when this process may not take part.
   */
  takePart: () => Promise<string>;
  ping: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
}

/** The API need not end when its database is not as it has to be: it says so, and serves when it is. */
export interface DatabaseLook {
  /** Once, now. Rejects with what is wrong. */
  look(): Promise<void>;
  /** Rejects while the database is not as it has to be, or does not answer. */
  require: () => Promise<void>;
  /** Why this process may not take part; undefined when it may, or does not know yet. */
  refusal: () => Error | undefined;
  /** Undefined before the first look that succeeded. */
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
