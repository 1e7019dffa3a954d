import type { Clock } from '../../../shared/ports/clock.ts';
import { createLoop } from '../../../shared/runtime/loop.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { StartRefusedError } from '../../../shared/runtime/process/start-refused.ts';

/** Milliseconds between two checks of the database. A good result is trusted for this long. */
const lookMs = 5_000;
const afterErrorMs = 1_000;

export interface DatabaseLookDeps {
  /** Checks schema and configuration. Resolves with the installation's id; throws if this process may not take part. */
  takePart: () => Promise<string>;
  ping: () => Promise<unknown>;
  clock: Clock;
  logger: Logger;
}

/** Repeated check of the database. While it fails, the API keeps running, reports the reason, and refuses requests. */
export interface DatabaseLook {
  /** Checks once. Rejects with the reason. */
  look(): Promise<void>;
  /** Rejects while the database is unusable or unavailable. */
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
