import type { Clock } from '../../shared/ports/clock.ts';
import type { JobNodes } from '../../shared/ports/job-nodes.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Dispatcher } from './dispatcher.ts';

const reportEveryMs = 2000;
const ttlMs = 10_000;
/** A rate is believed for longer than a moment without work. */
const newWeight = 0.5;

export interface NodeReporterDeps {
  nodes: JobNodes;
  owner: string;
  region: string;
  dispatcher: Pick<Dispatcher, 'levels' | 'handled'>;
  clock: Clock;
  logger: Logger;
}

/** Tells schedulers how fast this dispatcher is, so that they put no more on its topic than it gets through in some seconds. */
export function createNodeReporter({ nodes, owner, region, dispatcher, clock, logger }: NodeReporterDeps) {
  let atMs = clock.monotonicMs();
  let handled = dispatcher.handled();
  let perSecond = 0;

  const loop = createLoop({
    name: 'report-dispatcher',
    turn: async () => {
      const [nowMs, now] = [clock.monotonicMs(), dispatcher.handled()];
      const rate = nowMs > atMs ? ((now - handled) / (nowMs - atMs)) * 1000 : 0;
      perSecond = rate >= perSecond ? rate : perSecond + newWeight * (rate - perSecond);
      [atMs, handled] = [nowMs, now];
      const figures = { ...dispatcher.levels(), handledPerSecond: Math.round(perSecond * 10) / 10 };
      await nodes.beat({ owner, kind: 'dispatcher', region, figures }, ttlMs);
      return reportEveryMs;
    },
    afterErrorMs: reportEveryMs,
    clock,
    logger,
  });
  return {
    start: () => loop.start(),
    stop: async () => {
      await loop.stop();
      await nodes.leave(owner).catch(() => undefined);
    },
  };
}
