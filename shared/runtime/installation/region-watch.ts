import type { Clock } from '../../ports/clock.ts';
import type { ChangeFeed } from '../../ports/change-feed.ts';
import type { RegionState, Regions } from '../../ports/regions.ts';
import type { Logger } from '../logger.ts';
import { createLoop } from '../loop.ts';

/**
 * Upper bounds, in ms, on the time until this process knows of a switch of regions: without change notifications, and
 * with them. The database refuses claims of the inactive region at once.
 */
const pollEveryMs = 1000;
const notifiedPollEveryMs = 5000;

export interface RegionWatch {
  start(): Promise<void>;
  current(): RegionState;
  stop(): Promise<void>;
}

export interface RegionWatchDeps {
  regions: Regions;
  name: string;
  changes: ChangeFeed;
  clock: Clock;
  logger: Logger;
}

export function createRegionWatch({ regions, name, changes, clock, logger }: RegionWatchDeps): RegionWatch {
  // No claim has this epoch: epochs begin at 1.
  let current: RegionState = { name, epoch: 0, active: false };

  async function poll(): Promise<number> {
    const before = current;
    current = await regions.enter(name);
    if (before.epoch !== 0 && (before.epoch !== current.epoch || before.active !== current.active)) {
      logger.warn({ ...current }, 'the region was switched');
    }
    return changes.isConnected() ? notifiedPollEveryMs : pollEveryMs;
  }

  const loop = createLoop({ name: 'watch-region', turn: poll, afterErrorMs: pollEveryMs, clock, logger });
  changes.on('regions', () => loop.poke());
  return {
    start: async () => {
      await poll();
      loop.start();
    },
    current: () => current,
    stop: () => loop.stop(),
  };
}
