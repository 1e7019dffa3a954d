import { partitionCount } from '../../../shared/domain/partitioning.ts';
import type { Clock } from '../../../shared/ports/clock.ts';
import type { Leases } from '../../../shared/ports/leases.ts';
import type { MessagePublisher } from '../../../shared/ports/message-bus.ts';
import type { Meter } from '../../../shared/ports/meter.ts';
import type { ChangeFeed } from '../../../shared/ports/change-feed.ts';
import type { RegionState } from '../../../shared/ports/regions.ts';
import { createLeaseKeeper } from '../../../shared/runtime/lease-keeper.ts';
import type { Logger } from '../../../shared/runtime/logger.ts';
import { noMeter } from '../../../shared/runtime/meter/no-meter.ts';
import type { Service } from '../../../shared/runtime/process/service.ts';
import { createPartitionKeeper } from './keep-partitions.ts';
import { createOffering } from './offering.ts';
import { exportOffering } from './offering-meter.ts';
import type { Dispatchers } from '../ports/dispatchers.ts';
import type { DueReferences } from '../ports/due-references.ts';
import type { PartitionLeases } from '../ports/partition-leases.ts';

/** Lease of the leader, which assigns partitions to schedulers. */
export const leaderLease = 'job-partitions';

export interface JobOffererDeps {
  due: DueReferences;
  partitions: PartitionLeases;
  leases: Leases;
  publisher: MessagePublisher;
  dispatchers: Dispatchers;
  topic: string;
  /** Returns how many jobs per second may be offered for a client; undefined without a limit. */
  rateOf: (clientId: string) => number | undefined;
  nameOf: (clientId: string) => string | undefined;
  region: () => RegionState;
  changes: ChangeFeed;
  owner: string;
  leaseMs: number;
  clock: Clock;
  logger: Logger;
  meter?: Meter;
}

/**
 * Offers due jobs to the dispatchers of its region. If several offerers run, each reads only the partitions that it
 * owns.
 */
export interface JobOfferer extends Service {
  start(): void;
  owned(): readonly number[];
}

export function createJobOfferer(deps: JobOffererDeps): JobOfferer {
  const { partitions, leases, topic, owner, leaseMs, clock, logger } = deps;
  const { name: region } = deps.region();
  let intake = false;

  const leader = createLeaseKeeper({
    leases,
    name: leaderLease,
    owner,
    ttlMs: leaseMs,
    clock,
    logger,
    acquired: () => undefined,
  });
  const keeper = createPartitionKeeper({
    leases: partitions,
    owner,
    region,
    ttlMs: leaseMs,
    clock,
    logger,
    leads: () => leader.held(),
    figures: () => ({ ...offering.levels() }),
    onChanged: () => offering.poke(),
    changes: deps.changes,
  });
  const offering = createOffering({
    due: deps.due,
    dispatchers: deps.dispatchers,
    region,
    publisher: deps.publisher,
    topic,
    changes: deps.changes,
    clock,
    logger,
    rateOf: deps.rateOf,
    owned: () => (deps.region().active ? keeper.owned() : []),
    share: () => Math.max(1, keeper.owned().length) / partitionCount,
  });
  exportOffering(deps.meter ?? noMeter, {
    levels: () => offering.levels(),
    owned: () => keeper.owned().length,
    behindMs: () => offering.behindMs(),
    nameOf: deps.nameOf,
  });

  return {
    start: () => {
      intake = true;
      leader.start();
      keeper.start();
      offering.start();
    },
    owned: () => keeper.owned(),
    ready: () => intake,
    stopIntake: async () => {
      intake = false;
      // Offering stops before the partitions are released. Otherwise, this process could offer jobs after other
      // schedulers have taken the partitions over.
      await offering.stop();
      await keeper.stop();
    },
    finishWork: async () => {
      await offering.published();
      await keeper.stop();
      await leader.stop();
    },
    close: () => Promise.resolve(),
  };
}
