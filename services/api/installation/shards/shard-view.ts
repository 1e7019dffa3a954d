import type { GuardRow } from '../../../../shared/ports/endpoint-guards.ts';
import type { RegisteredShard } from '../../../../shared/ports/registry.ts';
import type { PartitionTraffic } from '../../../../shared/ports/group-reader.ts';
import type { ShardShape } from './shards.contract.ts';
import type { ShardWork, WorkerReport } from './postgres/shard-figures.ts';

/** Seconds within which the work ahead should be done. The desired number of workers follows from this time. */
const targetSeconds = 60;

export interface ShardFacts {
  shard: RegisteredShard;
  topic: string;
  /** Traffic of the topic's partitions; null while the brokers do not answer, undefined if the topic does not exist. */
  traffic: readonly PartitionTraffic[] | null | undefined;
  reports: readonly WorkerReport[];
  /** Work of this shard; undefined if there is none. */
  work: ShardWork | undefined;
  /** Circuit breaker of this shard; undefined if it was never open. */
  guard: GuardRow | undefined;
}

export function shardId({ actionType, country }: Pick<RegisteredShard, 'actionType' | 'country'>): string {
  return `${actionType}.${country}`;
}

export function shardView(facts: ShardFacts): ShardShape {
  const { shard, topic, traffic, reports, work, guard } = facts;
  const { actionType, country, partitions, createdAt } = shard;
  const id = shardId(shard);
  const serving = reports.filter(isServing);
  const batchesPerSecond = rounded(sumOf(reports, (report) => report.batchesPerSecond));
  const aheadBatches = work?.ahead ?? 0;
  return {
    id,
    actionType,
    country,
    topic,
    partitions: { wanted: partitions, actual: traffic === null ? null : (traffic?.length ?? 0) },
    workers: workersOf(facts),
    lanes: (traffic ?? [])
      .map(({ partition, member, unhandled }) => ({ partition, worker: member, messages: unhandled }))
      .sort((a, b) => a.partition - b.partition),
    lag: {
      messages: traffic ? sumOf(traffic, ({ unhandled }) => unhandled) : null,
      batches: work?.ready ?? 0,
      waiting: work?.waiting ?? 0,
      seconds: secondsOf(work?.ready ?? 0, batchesPerSecond),
      aheadBatches,
      aheadSeconds: secondsOf(aheadBatches, batchesPerSecond),
      pacedBatches: work?.paced ?? 0,
      history: [],
    },
    inFlight: sumOf(reports, (report) => report.inFlight),
    callLimit: sumOf(reports, (report) => report.callLimit),
    batchesPerSecond,
    breaker: guard?.state ?? 'closed',
    endpoint: endpointOf(guard),
    desiredWorkers: desiredWorkers(aheadBatches, batchesPerSecond, serving.length, partitions),
    notes: notesOf(facts),
    createdAt: createdAt.toISOString(),
    links: { self: `/v1/shards/${id}` },
  };
}

function isServing({ refusal }: WorkerReport): boolean {
  return refusal === null;
}

/** Returns the workers that report that they serve the shard, or that have one of its partitions. */
function workersOf({ traffic, reports }: ShardFacts): ShardShape['workers'] {
  const serving = reports.filter(isServing).map(({ worker }) => worker);
  const names = [...serving, ...(traffic ?? []).flatMap(({ member }) => member ?? [])];
  return [...new Set(names)].sort().map((worker) => ({
    worker,
    partitions: (traffic ?? []).filter(({ member }) => member === worker).map(({ partition }) => partition),
  }));
}

function endpointOf(guard: GuardRow | undefined): ShardShape['endpoint'] {
  if (!guard || guard.state === 'closed') return null;
  const { cause, openedAt, retryAt } = guard;
  return { cause, since: openedAt.toISOString(), nextTryAt: retryAt?.toISOString() ?? null };
}

function secondsOf(batches: number, batchesPerSecond: number): number | null {
  if (batches === 0) return 0;
  return batchesPerSecond === 0 ? null : rounded(batches / batchesPerSecond);
}

/**
 * Returns the number of workers that would do the work within the target time.
 * @returns 0 without work, otherwise from 1 to the number of partitions
 */
export function desiredWorkers(ahead: number, batchesPerSecond: number, workers: number, partitions: number): number {
  if (ahead === 0) return 0;
  const isMeasured = workers > 0 && batchesPerSecond > 0;
  const wanted = isMeasured ? Math.ceil((workers * ahead) / batchesPerSecond / targetSeconds) : workers;
  return Math.min(partitions, Math.max(1, wanted));
}

function notesOf(facts: ShardFacts): string[] {
  const { shard, traffic, work, guard } = facts;
  const notes: string[] = [];
  const workers = workersOf(facts).length;
  const isWork = (work?.ready ?? 0) > 0 || (traffic ?? []).some(({ unhandled }) => unhandled > 0);
  if (workers === 0) notes.push(isWork ? 'no worker serves it and there is work' : 'no worker serves it');
  // Refusals are shown only if no worker serves the shard. Otherwise other workers do its work, despite a refusal.
  if (workers === 0) notes.push(...refusalsOf(facts.reports));
  const idle = workers - shard.partitions;
  if (idle > 0) {
    const have = idle === 1 ? 'has' : 'have';
    notes.push(
      `${counted(workers, 'worker')}, ${counted(shard.partitions, 'partition')}: ${idle} ${have} nothing to do; raise partitions`,
    );
  }
  if (traffic && traffic.length < shard.partitions) {
    notes.push(`Kafka has ${traffic.length} of ${counted(shard.partitions, 'partition')} so far`);
  }
  const unassigned = (traffic ?? []).filter(({ member }) => member === null).length;
  if (workers > 0 && unassigned > 0)
    notes.push(
      `no worker has ${unassigned} of ${counted(traffic?.length ?? 0, 'partition')}: Kafka is about to assign them`,
    );
  if (traffic === undefined) notes.push('its topic does not exist yet');
  if (traffic === null) notes.push('Kafka does not answer: the assignment of partitions is unknown');
  if (guard?.state === 'open')
    notes.push(`its endpoint counts as down since ${guard.openedAt.toISOString()}: ${guard.cause}`);
  return notes;
}

function refusalsOf(reports: readonly WorkerReport[]): string[] {
  const byCause = Map.groupBy(reports, ({ refusal }) => refusal ?? '');
  return [...byCause]
    .filter(([cause]) => cause !== '')
    .map(([cause, workers]) => `${counted(workers.length, 'worker')} cannot serve it: ${cause}`);
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function sumOf<Entry>(entries: readonly Entry[], value: (entry: Entry) => number): number {
  return entries.reduce((sum, entry) => sum + value(entry), 0);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
