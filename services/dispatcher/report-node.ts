import type { Clock } from '../../shared/ports/clock.ts';
import { deadAfterMs, type JobNodes } from '../../shared/ports/job-nodes.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Heartbeat } from './heartbeat.ts';

const beatEveryMs = 2000;
/** Least time between reports while jobs arrive and schedulers wait for credit; a millisecond per active client. */
const reportEveryMs = 100;
const maxBetweenReportsMs = 1000;
/** Time between two reports of the calls by client, which are shown to people: the pace of an idle dispatcher. */
const callsEveryMs = beatEveryMs;
/** Time between two reports of durations, which change slowly and are the largest part of a report. */
const durationsEveryMs = 10_000;
/** Weight of the newest rate when it is lower, so that the rate outlasts a moment without work. */
const newWeight = 0.5;

export interface NodeReporterDeps {
  nodes: JobNodes;
  owner: string;
  region: string;
  dispatcher: Pick<
    Dispatcher,
    'levels' | 'received' | 'handled' | 'credit' | 'calls' | 'durations' | 'onWork' | 'beaten'
  >;
  heartbeat: Pick<Heartbeat, 'beaten'>;
  clock: Clock;
  logger: Logger;
}

export interface NodeReporter {
  start(): void;
  tell(): void;
  stop(): Promise<void>;
}

/**
 * Loop that reports to schedulers what this dispatcher takes of each client. A report is valid until the next one;
 * reports are frequent while jobs arrive.
 */
export function createNodeReporter(deps: NodeReporterDeps): NodeReporter {
  const { nodes, owner, region, dispatcher, heartbeat, clock, logger } = deps;
  let [reportedAtMs, callsReportedAtMs, durationsReportedAtMs] = [-Infinity, -Infinity, -Infinity];
  let [received, handled] = [dispatcher.received, dispatcher.handled];
  let perSecond = 0;
  let isNotified = false;
  /** True if nothing has changed since the last report: the next one waits for the next beat or change. */
  let isAsleep = false;

  async function turn(): Promise<number> {
    const nowMs = clock.monotonicMs();
    const sinceMs = nowMs - reportedAtMs;
    const hasChanged = dispatcher.received !== received || dispatcher.handled !== handled;
    isAsleep = !isNotified && !hasChanged && sinceMs < beatEveryMs;
    if (isAsleep) return Math.ceil(beatEveryMs - sinceMs);
    isNotified = false;
    const rate = Number.isFinite(sinceMs) && sinceMs > 0 ? ((dispatcher.handled - handled) / sinceMs) * 1000 : 0;
    perSecond = rate >= perSecond ? rate : perSecond + newWeight * (rate - perSecond);
    [received, handled, reportedAtMs] = [dispatcher.received, dispatcher.handled, nowMs];
    const credit = dispatcher.credit();
    const figures = { ...dispatcher.levels(), handledPerSecond: Math.round(perSecond * 10) / 10 };
    const calls = nowMs - callsReportedAtMs >= callsEveryMs ? dispatcher.calls() : undefined;
    const durations = nowMs - durationsReportedAtMs >= durationsEveryMs ? dispatcher.durations() : undefined;
    await nodes.beat({ owner, kind: 'dispatcher', region, figures, credit, calls, durations }, deadAfterMs);
    heartbeat.beaten(nowMs);
    dispatcher.beaten();
    if (calls) callsReportedAtMs = nowMs;
    if (durations) durationsReportedAtMs = nowMs;
    const named = Object.keys(credit?.toClients ?? {}).length;
    return Math.min(maxBetweenReportsMs, Math.max(reportEveryMs, named));
  }

  const loop = createLoop({ name: 'report-dispatcher', turn, afterErrorMs: beatEveryMs / 4, clock, logger });
  dispatcher.onWork(() => {
    if (isAsleep) loop.poke();
    isAsleep = false;
  });
  return {
    start: () => loop.start(),
    tell: () => {
      isNotified = true;
      loop.poke();
    },
    stop: async () => {
      await loop.stop();
      await nodes.leave(owner).catch(() => undefined);
    },
  };
}
