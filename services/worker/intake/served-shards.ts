import type { ActionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { topicNames, type Shard } from '../../../shared/domain/endpoint/shard.ts';
import type { TopicSpec } from '../../../shared/ports/message-bus.ts';
import type { Registry } from '../../../shared/ports/registry.ts';
import type { ShardRefusal } from '../../../shared/ports/shard-reports.ts';
import { topicsOf } from '../../../shared/runtime/installation/shard-topics.ts';

export interface ServedScope {
  /** Action types to serve; undefined means all. */
  actionTypes: readonly string[] | undefined;
  /** Countries to serve; undefined means all. */
  countries: readonly string[] | undefined;
  /** Action types whose secrets this worker has; undefined means all. */
  callable?: Pick<ReadonlySet<string>, 'has'> | undefined;
  /**
   * Duration of a claim in milliseconds. A type whose calls may take more than half of it is left to workers with
   * longer leases.
   */
  leaseMs: number;
}

export interface Served {
  /** Shards by topic. */
  shards: Map<string, Shard>;
  topics: TopicSpec[];
  actionTypes: Record<string, ActionTypeConfig>;
  /** Shards that this worker should serve, but cannot. */
  refusals: ShardRefusal[];
}

/**
 * Returns the part of the registry that a worker serves. Disabled types are included, because their runs that have
 * begun continue.
 */
export function servedOf(
  { actionTypes, shards }: Pick<Registry, 'actionTypes' | 'shards'>,
  { leaseMs, ...scope }: ServedScope,
  terms: { prefix: string; replicationFactor: number },
): Served {
  const names = topicNames(terms.prefix);
  const timeoutOf = new Map(actionTypes.map(({ name, config }) => [name, config.timeoutMs]));
  const refusalOf = (actionType: string): string | null => {
    if (!(scope.callable?.has(actionType) ?? true)) return 'a secret of it is missing there, or does not open';
    const timeoutMs = timeoutOf.get(actionType) ?? 0;
    if (2 * timeoutMs <= leaseMs) return null;
    return `its calls may take ${timeoutMs} ms, and leases there are ${leaseMs} ms: WORKER_LEASE_MS has to be twice as long`;
  };
  const wanted = shards.filter(
    ({ actionType, country }) =>
      (scope.actionTypes?.includes(actionType) ?? true) && (scope.countries?.includes(country) ?? true),
  );
  const served = wanted.filter(({ actionType }) => refusalOf(actionType) === null);
  return {
    shards: new Map(
      served.map(({ actionType, country }) => [names.shard({ actionType, country }), { actionType, country }]),
    ),
    topics: topicsOf(served, terms),
    actionTypes: Object.fromEntries(actionTypes.map(({ name, config }) => [name, config])),
    refusals: wanted.flatMap(({ actionType, country }) => {
      const cause = refusalOf(actionType);
      return cause === null ? [] : [{ actionType, country, cause }];
    }),
  };
}
