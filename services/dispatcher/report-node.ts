import type { Clock } from '../../shared/ports/clock.ts';
import { deadAfterMs, type JobNodes } from '../../shared/ports/job-nodes.ts';
import type { Logger } from '../../shared/runtime/logger.ts';
import { createLoop } from '../../shared/runtime/loop.ts';
import type { Dispatcher } from './dispatcher.ts';
import type { Heartbeat } from './heartbeat.ts';

const beatEveryMs = 2000;
/**
 * Minimum time in milliseconds between reports while jobs arrive and schedulers wait for credit. With many active
 * clients, the minimum is one millisecond per client instead.
 */
const reportEveryMs = 100;
const maxBetweenReportsMs = 1000;
/**
 * Time in milliseconds between two reports of the calls by endpoint, which are only displayed to users. The time equals
 * the heartbeat interval of an idle dispatcher.
 */
const callsEveryMs = beatEveryMs;
/**
 * Time in milliseconds between two reports of durations. Durations change slowly, and are the largest part of a report.
 */
const durationsEveryMs = 10_000;
/**
 * Weight of a new rate in the average if the new rate is lower. The average then does not drop to zero in a moment
 * without work.
 */
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
  reportNow(): void;
  stop(): Promise<void>;
}

/**
 * Loop that reports the credit of this dispatcher to schedulers: how many more jobs it accepts for each client.
 * Schedulers use a report until the next one arrives. While jobs arrive, reports are frequent.
 */
export function createNodeReporter(deps: NodeReporterDeps): NodeReporter {
  const { nodes, owner, region, dispatcher, heartbeat, clock, logger } = deps;
  let [reportedAtMs, callsReportedAtMs, durationsReportedAtMs] = [-Infinity, -Infinity, -Infinity];
  let [received, handled] = [dispatcher.received, dispatcher.handled];
  let perSecond = 0;
  let isNotified = false;
  /**
   * True if nothing has changed since the last report. The next report is then sent with the next heartbeat, or after a
   * change.
   */
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
    reportNow: () => {
      isNotified = true;
      loop.poke();
    },
    stop: async () => {
      await loop.stop();
      await nodes.leave(owner).catch(() => undefined);
    },
  };
}
