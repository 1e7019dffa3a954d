import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHeartbeat } from '../../services/dispatcher/heartbeat.ts';
import { createNodeReporter } from '../../services/dispatcher/report-node.ts';
import { createJobOfferer, leaderLease } from '../../services/scheduler/offer/job-offerer.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import type { StoredPriority } from '../../shared/domain/job/priority-bands.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { dispatcherSubject, ok, topic } from '../support/dispatcher-subject.ts';
import { createMemoryDueReferences } from '../support/memory/due-references.ts';
import { createMemoryDispatchers, createMemoryJobNodes } from '../support/memory/job-nodes.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';
import { createMemoryPartitionLeases } from '../support/memory/partition-leases.ts';
import { passTime } from '../support/pass-time.ts';
import { troubled } from './callback-scenarios.ts';
import { runCallbacks } from './callback-world.ts';

const [shop, neighbour] = [clientIdOf(1), clientIdOf(2)];
const callMs = 20;

/** Starts a scheduler and a dispatcher between which messages take no time. Each client has this many slots. */
async function startWorld({ slots = 1, perSecond }: { slots?: number; perSecond?: number } = {}) {
  const calls: string[] = [];
  const { clock, tables, subject, bus, clients, dispatcherOf, stop } = dispatcherSubject(async ({ headers }) => {
    calls.push(uuidOf('job', headers[headers.indexOf('webhook-id') + 1] ?? '') ?? '');
    await clock.sleep(callMs);
    return ok;
  });
  for (const clientId of [shop, neighbour]) {
    clients.set(clientId, { limits: { clientId, revision: 1, concurrency: slots, timeoutMs: 1000, egress: [] } });
  }
  const logger = pino({ level: 'silent' });
  const own = { region: 'local', clock, logger };
  const dispatcher = dispatcherOf('d');
  const nodes = createMemoryJobNodes({ tables });
  const reporter = createNodeReporter({ ...own, nodes, owner: 'd', dispatcher, heartbeat: createHeartbeat() });
  const database = createMemoryDatabase(clock);
  const changes = createMemoryChangeFeed();
  const offerer = createJobOfferer({
    due: createMemoryDueReferences({ tables }),
    partitions: createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderLease }),
    leases: createMemoryLeases({ database }),
    publisher: bus.publisher(),
    dispatchers: createMemoryDispatchers({ tables }),
    rateOf: (clientId) => (clientId === shop ? perSecond : undefined),
    nameOf: () => undefined,
    changes,
    topic,
    owner: 's',
    leaseMs: 9000,
    clock,
    logger,
    region: () => ({ name: 'local', epoch: 1, active: true }),
  });
  reporter.start();
  await dispatcher.start();
  offerer.start();
  await passTime(clock, 6000);

  let added = 0;
  const priorityOf = new Map<string, string>();
  const add = async (count: number, clientId: string, priority?: StoredPriority) => {
    const jobs = Array.from({ length: count }, () => ({ jobId: jobIdOf(added++), clientId, dueInMs: 0, priority }));
    for (const { jobId } of jobs) priorityOf.set(jobId, clientId === neighbour ? 'neighbour' : (priority ?? 'normal'));
    await subject.add(jobs);
    changes.announce('jobs');
  };
  /** Returns the priorities of the calls from number `since` on, in order. */
  const called = (since = 0) => calls.slice(since).map((jobId) => priorityOf.get(jobId) ?? 'unknown');
  const end = async () => {
    const stopping = offerer.stopIntake().then(() => offerer.finishWork());
    await passTime(clock, 1000);
    await stopping;
    await stop(dispatcher);
    await reporter.stop();
  };
  return { clock, add, called, end };
}

const countOf = (called: readonly string[], wanted: string) => called.filter((each) => each === wanted).length;

describe('the priorities of jobs, from the database to the call', () => {
  it('bring high jobs among the next thirty calls, even behind 500 normal jobs that share one slot', async () => {
    const { clock, add, called, end } = await startWorld();
    await add(500, shop);
    await passTime(clock, 1000);
    const before = called().length;
    expect(before).toBeGreaterThan(10);
    await add(20, shop, 'high');
    // A few other jobs are called before these reach the dispatcher.
    await passTime(clock, 100);
    const then = called().length;
    await passTime(clock, 2000);
    expect(countOf(called(before).slice(0, then - before + 25), 'high')).toBe(20);
    await passTime(clock, 30_000);
    expect(called()).toHaveLength(520);
    await end();
  });

  it.each([
    ['of its slots', {}],
    ['of its rate', { slots: 50, perSecond: 20 }],
  ])('leave normal and low jobs their share %s, however many jobs of higher priority arrive', async (_of, limits) => {
    const { clock, add, called, end } = await startWorld(limits);
    await add(400, shop);
    await add(400, shop, 'low');
    for (let seconds = 0; seconds < 30; seconds++) {
      await add(50, shop, 'high');
      await passTime(clock, 1000);
    }
    // The first calls are left out, because their jobs were offered before any high job.
    const last = called().slice(-300);
    expect(last).toHaveLength(300);
    const shares = ['high', 'normal', 'low'].map((priority) => countOf(last, priority) / last.length);
    expect(shares[0]).toBeCloseTo(16 / 21, 1);
    expect(shares[1]).toBeCloseTo(4 / 21, 1);
    expect(countOf(last, 'low')).toBeGreaterThanOrEqual(10);
    await end();
  });

  it('give a client that marks all jobs as high no earlier calls than its neighbour, whose calls do not change', async () => {
    const neighboursCalls = async (priority?: StoredPriority) => {
      const { clock, add, called, end } = await startWorld({ slots: 4 });
      await add(500, shop, priority);
      await passTime(clock, 500);
      await add(60, neighbour);
      await passTime(clock, 1000);
      const calls = called().map((each) => (each === 'neighbour' ? each : 'shop'));
      await end();
      return calls;
    };
    const before = await neighboursCalls();
    expect(countOf(before, 'neighbour')).toBe(60);
    expect(await neighboursCalls('high')).toEqual(before);
  });
});

const mixed = (nth: number) => ([undefined, 'high', 'low'] as const)[nth % 3];

describe('jobs with priorities under faults', () => {
  it.each(Array.from({ length: 8 }, (_, index) => index + 1))(
    'are called at least once and recorded once: walk %i',
    async (seed) => {
      expect(await runCallbacks({ ...troubled(seed), isScarce: true, priorityOf: mixed })).toEqual([]);
    },
  );

  it.each([1, 2, 3, 4])('are called in order by key, whatever their priority: walk %i', async (seed) => {
    const scenario = { ...troubled(seed), ordering: 'in-order', priorityOf: mixed } as const;
    expect(await runCallbacks(scenario)).toEqual([]);
  });
});
