import { topicNames, type Shard } from '../../../../shared/domain/endpoint/shard.ts';
import type { GuardReader } from '../../../../shared/ports/endpoint-guards.ts';
import type { GroupReader } from '../../../../shared/ports/group-reader.ts';
import type { Clock } from '../../../../shared/ports/clock.ts';
import type { GaugeSpec, Meter } from '../../../../shared/ports/meter.ts';
import { pauseAfter } from '../../../../shared/runtime/pause-after.ts';
import type { RegistryReader } from '../../../../shared/runtime/installation/registry-reader.ts';
import { apiMetrics } from '../../frame/metrics.ts';
import { createLagHistory } from './lag-history.ts';
import type { ShardShape } from './shards.contract.ts';
import type { ShardFigures, ShardWork } from './postgres/shard-figures.ts';
import { shardId, shardView } from './shard-view.ts';

/** Minimum interval of reads from brokers and database, for all callers together. */
const freshMs = 1000;
/** Maximum pause between two sums of the runs' work. With thousands of unfinished runs, a sum takes seconds. */
const longestWorkPauseMs = 300_000;

export interface ShardReaderDeps {
  registry: Pick<RegistryReader, 'refresh'>;
  figures: ShardFigures;
  guards: GuardReader;
  group: GroupReader;
  topicPrefix: string;
  clock: Pick<Clock, 'monotonicMs'>;
}

export interface ShardReader {
  /**
   * Returns the shards as they were at most about a second ago. The work of runs may be older: up to twenty times the
   * duration of its query.
   * @param isChanged true after a change of a shard, so that the result must be read after this call
   */
  read(isChanged?: boolean): Promise<readonly ShardShape[]>;
  /** Returns the result of the last read; empty before the first read. */
  last(): readonly ShardShape[];
}

export function createShardReader({
  registry,
  figures,
  guards,
  group,
  topicPrefix,
  clock,
}: ShardReaderDeps): ShardReader {
  const names = topicNames(topicPrefix);
  const history = createLagHistory();
  let seen: readonly ShardShape[] = [];
  let seenAtMs = -Infinity;
  let reading: Promise<readonly ShardShape[]> | undefined;
  let workSeen: readonly ShardWork[] = [];
  let workNotBeforeMs = -Infinity;

  async function workOfAll(): Promise<readonly ShardWork[]> {
    const beganMs = clock.monotonicMs();
    if (beganMs < workNotBeforeMs) return workSeen;
    workSeen = await figures.work();
    const endedMs = clock.monotonicMs();
    workNotBeforeMs = endedMs + pauseAfter(endedMs - beganMs, 0, longestWorkPauseMs);
    return workSeen;
  }

  async function readNow(): Promise<readonly ShardShape[]> {
    const beganMs = clock.monotonicMs();
    const { shards } = await registry.refresh();
    const topics = shards.map((shard) => names.shard(shard));
    const [traffic, reports, work, breakers] = await Promise.all([
      group.read(topics),
      figures.reports(),
      workOfAll(),
      guards.list(),
    ]);
    const reportsOf = Map.groupBy(reports, keyOf);
    const workOf = new Map(work.map((each) => [keyOf(each), each]));
    const guardOf = new Map(breakers.map((each) => [keyOf(each), each]));
    seen = shards.map((shard) => {
      const topic = names.shard(shard);
      const id = shardId(shard);
      const view = shardView({
        shard,
        topic,
        traffic: traffic === null ? null : traffic.get(topic),
        reports: reportsOf.get(keyOf(shard)) ?? [],
        work: workOf.get(keyOf(shard)),
        guard: guardOf.get(keyOf(shard)),
      });
      history.add(id, beganMs, view.lag.seconds);
      return { ...view, lag: { ...view.lag, history: history.of(id, beganMs) } };
    });
    seenAtMs = beganMs;
    return seen;
  }

  return {
    read: async (isChanged = false) => {
      if (isChanged) {
        await reading?.catch(() => undefined);
        return await readNow();
      }
      if (clock.monotonicMs() - seenAtMs < freshMs) return seen;
      return await (reading ??= readNow().finally(() => (reading = undefined)));
    },
    last: () => seen,
  };
}

function keyOf({ actionType, country }: Shard): string {
  return shardId({ actionType, country });
}

/** Exports the numbers of shards as metrics for autoscalers. */
export function exportShardFigures(meter: Meter, shards: ShardReader): void {
  const gauge = (spec: GaugeSpec<'action' | 'country'>, value: (shard: ShardShape) => number | null) =>
    meter.gauge({
      ...spec,
      collect: (gauge) => {
        // The read is for the next collection of metrics. The current collection does not wait for it.
        shards.read().catch(() => undefined);
        for (const shard of shards.last()) {
          const level = value(shard);
          if (level !== null) gauge.of({ action: shard.actionType, country: shard.country }).set(level);
        }
      },
    });
  gauge(apiMetrics.aheadSeconds, ({ lag }) => lag.aheadSeconds);
  gauge(apiMetrics.lagSeconds, ({ lag }) => lag.seconds);
  gauge(apiMetrics.lagMessages, ({ lag }) => lag.messages);
  gauge(apiMetrics.workers, ({ workers }) => workers.length);
  gauge(apiMetrics.desiredWorkers, ({ desiredWorkers }) => desiredWorkers);
}
