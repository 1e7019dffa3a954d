import type { Clock } from '../../shared/ports/clock.ts';
import type { KeyAdvancer } from '../../shared/ports/ordered-keys.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop, type Loop } from '../../shared/runtime/loop.ts';

const sweepEveryMs = 2000;

export interface KeySweeperDeps {
  keys: Pick<KeyAdvancer, 'sweep'>;
  clock: Clock;
  logger: Logger;
}

/**
 * Advances ordering keys whose dispatcher died before it made their next job due. Any number of processes may run this
 * loop.
 */
export function createKeySweeper({ keys, clock, logger }: KeySweeperDeps): Loop {
  return createLoop({
    name: 'sweep-keys',
    turn: async () => {
      const found = await keys.sweep();
      if (found > 0) logger.info({ keys: found }, 'keys were advanced that their processes had left');
      return found > 0 ? 0 : sweepEveryMs;
    },
    afterErrorMs: sweepEveryMs,
    clock,
    logger,
  });
}
