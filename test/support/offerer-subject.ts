import { pino } from 'pino';
import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import type { StoredPriority } from '../../shared/domain/job/priority-bands.ts';
import { createJobOfferer, leaderLease, type JobOffererDeps } from '../../services/scheduler/offer/job-offerer.ts';
import type { DispatcherCredit } from '../../services/scheduler/ports/dispatchers.ts';
import { clientIdOf, jobIdOf, type SeedJob } from './conformance/job-subject.ts';
import { createCallbackTables } from './memory/callback-tables.ts';
import { createMemoryDueReferences } from './memory/due-references.ts';
import { memoryJobSubject } from './memory/job-subject.ts';
import { createMemoryLeases } from './memory/leases.ts';
import { createMemoryBus } from './memory/memory-bus.ts';
import { createMemoryDatabase } from './memory/memory-database.ts';
import { createMemoryChangeFeed } from './memory/change-feed.ts';
import { createMemoryPartitionLeases } from './memory/partition-leases.ts';
import { passTime } from './pass-time.ts';
import { createSettableClock } from './settable-clock.ts';

export const topic = 'muster.local.calls';
/** Lease of partitions and of the leader. */
export const leaseMs = 9000;

/**
 * Creates schedulers over tables, a bus and a change feed in memory. The dispatcher `d` accepts 10,000 jobs of any
 * client.
 */
export function setUpOfferers(rates: Record<string, number> = {}) {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const tables = createCallbackTables(clock, database.scheduled);
  const subject = memoryJobSubject(tables);
  const bus = createMemoryBus({ topics: [topic] });
  const region = { name: 'local', epoch: 1, active: true };
  const changes = createMemoryChangeFeed();
  /** Credit of each dispatcher, by its owner. */
  const taking = new Map<string, DispatcherCredit>();
  const takes = (owner: string, toAnyClient: number, toClients: readonly [string, number][] = []) =>
    void taking.set(owner, { owner, toAnyClient, toClients: new Map(toClients) });
  takes('d', 10_000);

  const offererOf = (owner: string, more: Partial<JobOffererDeps> = {}) =>
    createJobOfferer({
      due: createMemoryDueReferences({ tables }),
      partitions: createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderLease }),
      leases: createMemoryLeases({ database }),
      publisher: bus.publisher(),
      dispatchers: { credit: () => Promise.resolve([...taking.values()]) },
      rateOf: (clientId) => rates[clientId],
      nameOf: (clientId) => (clientId === clientIdOf(1) ? 'crowd' : undefined),
      region: () => region,
      changes,
      topic,
      owner,
      leaseMs,
      clock,
      logger: pino({ level: 'silent' }),
      ...more,
    });

  const offered = () =>
    bus.messages(topic).flatMap(({ value }) => {
      const { clients, jobs, priority } = jobReferences.parse(JSON.parse(value));
      return jobs.map(([partition, dueUs, jobId, place]) => ({
        partition,
        dueUs,
        jobId,
        clientId: clients[place] ?? '',
        ...(priority && { priority }),
      }));
    });
  /** Adds jobs without a notification, as if it was lost. */
  const addUnreported = (...jobs: (Partial<SeedJob> & { jobId: string })[]) =>
    subject.add(jobs.map((job) => ({ clientId: clientIdOf(1), dueInMs: 0, ...job })));
  const add = async (...jobs: (Partial<SeedJob> & { jobId: string })[]) => {
    const keys = await addUnreported(...jobs);
    changes.announce('jobs');
    return keys;
  };
  const many = (count: number, clientId = clientIdOf(1), from = 0, priority?: StoredPriority) =>
    add(...Array.from({ length: count }, (_, index) => ({ jobId: jobIdOf(from + index), clientId, priority })));

  /** Starts a scheduler and waits long enough for it to become the leader and own all partitions. */
  async function started(owner: string, more: Partial<JobOffererDeps> = {}) {
    const offerer = offererOf(owner, more);
    offerer.start();
    await passTime(clock, 6000);
    return offerer;
  }
  async function stop(offerer: ReturnType<typeof offererOf>): Promise<void> {
    await offerer.stopIntake();
    const finishing = offerer.finishWork();
    await passTime(clock, 1000);
    await finishing;
  }
  const notified = { changes, add, addPending: addUnreported, many };
  return { clock, tables, subject, bus, region, taking, takes, offererOf, started, stop, offered, ...notified };
}
