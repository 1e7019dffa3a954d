import type { Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { GaugeSpec, Meter } from '../../../shared/ports/meter.ts';
import type { LedgerFlushed } from '../../../shared/ports/step-ledger.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import type { Reading } from '../endpoint/read-answer.ts';
import type { StatusAnswer } from '../endpoint/read-status.ts';
import { workerMetrics } from './metrics.ts';
import type { Work } from '../step/work.ts';

/** Milliseconds within which equal warnings are logged only once, with their number. */
const warnEveryMs = 60_000;

/** Metrics of the worker, and warnings that are not repeated for every batch. */
export interface WorkerMeter {
  called(work: Work, reading: Reading, tookMs: number): void;
  statusRequested(work: Work, answer: StatusAnswer): void;
  flushed(flushed: LedgerFlushed, results: number, claims: number, tookMs: number): void;
  /** Registers gauges, which are read with each export of the metrics. */
  watch(levels: () => WorkerLevels): void;
}

export interface ShardLevels {
  shard: Shard;
  inFlight: number;
  limit: number;
  waiting: number;
  isBreakerOpen: boolean;
  /** Number of steps recorded as done since the worker's start. */
  recorded: number;
}

export interface WorkerLevels {
  shards: readonly ShardLevels[];
  queued: number;
}

export interface WorkerMeterDeps {
  meter: Meter;
  clock: Clock;
  logger: Logger;
}

export function createWorkerMeter({ meter, clock, logger }: WorkerMeterDeps): WorkerMeter {
  const metrics = createMetrics(meter);
  const byTopic = new Map<string, ShardCounters>();
  const warnings = new Map<string, { count: number; sinceMs: number }>();

  function countersOf({ topic, actionType, context: { country } }: Work): ShardCounters {
    let counters = byTopic.get(topic);
    if (!counters) byTopic.set(topic, (counters = shardCounters(metrics, actionType, country)));
    return counters;
  }

  /**
   * Logs at most one line per action, country and cause in a minute, with the number of warnings since the last line.
   */
  function warn({ actionType, context }: Work, message: string, cause: string): void {
    const { country } = context;
    const key = `${actionType}/${country}/${message}/${cause}`;
    const nowMs = clock.monotonicMs();
    const last = warnings.get(key);
    if (last && nowMs - last.sinceMs < warnEveryMs) {
      last.count++;
      return;
    }
    logger.warn({ actionType, country, cause, count: 1 + (last?.count ?? 0) }, message);
    for (const [old, { sinceMs }] of warnings) if (nowMs - sinceMs >= 2 * warnEveryMs) warnings.delete(old);
    warnings.set(key, { count: 0, sinceMs: nowMs });
  }

  function warnOfAnswer(work: Work, reading: Reading): void {
    if (reading.kind === 'reported') {
      if (reading.unexpected > 0) warn(work, 'an endpoint breaks its contract', 'users that were not asked for');
      if (reading.repeated > 0) warn(work, 'an endpoint breaks its contract', 'users reported more than once');
      return;
    }
    if (reading.kind === 'ambiguous' && reading.violation) warn(work, 'an endpoint breaks its contract', reading.cause);
    warn(work, 'a call brought no results', reading.cause);
  }

  return {
    called: (work, reading, tookMs) => {
      const counters = countersOf(work);
      counters.calls(reading.kind).add();
      counters.users(reading.kind).add(work.count);
      counters.latency.observe(tookMs / 1000);
      if (reading.kind !== 'reported' || reading.unexpected + reading.repeated > 0) {
        if (isViolation(reading)) counters.violations.add();
        warnOfAnswer(work, reading);
      }
    },
    statusRequested: (work, answer) => {
      const { actionType: action, context } = work;
      metrics.statusQueries.of({ action, country: context.country, result: answer.kind }).add();
      if (answer.kind === 'unanswered') warn(work, 'a status query brought nothing', answer.cause);
    },
    flushed: ({ recorded, handedOn, claimed, busy, refused }, results, claims, tookMs) => {
      metrics.flushSeconds.of({}).observe(tookMs / 1000);
      metrics.flushed.of({ what: 'results' }).add(results);
      metrics.flushed.of({ what: 'claims' }).add(claims);
      metrics.flushed.of({ what: 'handed-on' }).add(handedOn.length);
      metrics.flushed.of({ what: 'fenced' }).add(results - recorded.length);
      metrics.flushed.of({ what: 'not-claimed' }).add(claims - claimed.length - busy.length);
      metrics.flushed.of({ what: 'busy' }).add(busy.length);
      metrics.flushed.of({ what: 'refused' }).add(refused.length);
    },
    watch: (levels) => createGauges(meter, levels),
  };
}

function isViolation(reading: Reading): boolean {
  if (reading.kind === 'reported') return reading.unexpected + reading.repeated > 0;
  return reading.kind === 'ambiguous' && reading.violation !== undefined;
}

function createMetrics(meter: Meter) {
  return {
    calls: meter.counter(workerMetrics.calls),
    users: meter.counter(workerMetrics.users),
    statusQueries: meter.counter(workerMetrics.statusQueries),
    violations: meter.counter(workerMetrics.violations),
    latency: meter.histogram(workerMetrics.latency),
    flushSeconds: meter.histogram(workerMetrics.flushSeconds),
    flushed: meter.counter(workerMetrics.flushed),
  };
}

function createGauges(meter: Meter, levels: () => WorkerLevels): void {
  const ofShards = (spec: GaugeSpec<'action' | 'country'>, level: (shard: ShardLevels) => number) =>
    meter.gauge({
      ...spec,
      collect: (gauge) => {
        for (const shard of levels().shards) {
          const { actionType: action, country } = shard.shard;
          gauge.of({ action, country }).set(level(shard));
        }
      },
    });
  ofShards(workerMetrics.callsInFlight, ({ inFlight }) => inFlight);
  ofShards(workerMetrics.callLimit, ({ limit }) => limit);
  ofShards(workerMetrics.claimsWaiting, ({ waiting }) => waiting);
  ofShards(workerMetrics.breakerOpen, (shard) => Number(shard.isBreakerOpen));
  meter.gauge({ ...workerMetrics.queued, collect: (gauge) => gauge.of({}).set(levels().queued) });
}

interface ShardCounters {
  calls: (result: Reading['kind']) => { add(by?: number): void };
  users: (result: Reading['kind']) => { add(by?: number): void };
  violations: { add(by?: number): void };
  latency: { observe(value: number): void };
}

/**
 * Returns the counters of a shard. They are created once and kept, because looking up a counter costs more than
 * counting.
 */
function shardCounters(metrics: ReturnType<typeof createMetrics>, action: string, country: string): ShardCounters {
  const kinds = ['reported', 'refused', 'misconfigured', 'not-applied', 'ambiguous'] as const;
  const calls = new Map(kinds.map((result) => [result, metrics.calls.of({ action, country, result })]));
  const users = new Map(kinds.map((result) => [result, metrics.users.of({ action, country, result })]));
  return {
    calls: (result) => calls.get(result) ?? metrics.calls.of({ action, country, result }),
    users: (result) => users.get(result) ?? metrics.users.of({ action, country, result }),
    violations: metrics.violations.of({ action, country }),
    latency: metrics.latency.of({ action, country }),
  };
}
