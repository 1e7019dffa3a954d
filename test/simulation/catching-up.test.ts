import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createHeartbeat } from '../../services/dispatcher/heartbeat.ts';
import { createNodeReporter } from '../../services/dispatcher/report-node.ts';
import { createJobOfferer, leaderLease } from '../../services/scheduler/offer/job-offerer.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { clientIdOf, jobIdOf } from '../support/conformance/job-subject.ts';
import { dispatcherSubject, ok, topic } from '../support/dispatcher-subject.ts';
import { createMemoryDueReferences } from '../support/memory/due-references.ts';
import { createMemoryDispatchers, createMemoryJobNodes } from '../support/memory/job-nodes.ts';
import { createMemoryDatabase } from '../support/memory/memory-database.ts';
import { createMemoryLeases } from '../support/memory/leases.ts';
import { createMemoryChangeFeed } from '../support/memory/change-feed.ts';
import { createMemoryPartitionLeases } from '../support/memory/partition-leases.ts';
import { passTime } from '../support/pass-time.ts';

const [quick, slow] = [clientIdOf(1), clientIdOf(2)];
const quickPerSecond = 400;
const lastsMs = 20_000;

/** Returns the port with each call delayed by `ms`. */
function slowed<Port extends object>(port: Port, sleep: (ms: number) => Promise<void>, ms: number): Port {
  return new Proxy(port, {
    get: (target, name) => {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== 'function') return method;
      return async (...given: unknown[]): Promise<unknown> => {
        await sleep(ms);
        return (await Reflect.apply(method, target, given)) as unknown;
      };
    },
  });
}

/**
 * A scheduler and a dispatcher on a machine without spare CPU, on which each statement takes long.
 * @returns the lateness of each call of the quick client, in the order of due times
 */
async function latenessOnABusyMachine({ lookMs }: { lookMs: number }): Promise<number[]> {
  const calledAt = new Map<string, number>();
  const { clock, tables, subject, bus, clients, dispatcherOf, stop } = dispatcherSubject(
    async ({ headers, limits }) => {
      calledAt.set(headers[headers.indexOf('webhook-id') + 1] ?? '', clock.nowMs());
      await clock.sleep(limits.clientId === slow ? 300 : 5);
      return ok;
    },
  );
  const limitsOf = (clientId: string, concurrency: number) => ({
    limits: { clientId, revision: 1, concurrency, timeoutMs: 1000, egress: [] },
  });
  clients.set(quick, limitsOf(quick, 150));
  clients.set(slow, limitsOf(slow, 50));
  const sleep = (ms: number) => clock.sleep(ms);
  const logger = pino({ level: 'silent' });
  const own = { region: 'local', clock, logger };
  const dispatcher = dispatcherOf('d', clock, { concurrency: 500 });
  const nodes = slowed(createMemoryJobNodes({ tables }), sleep, 50);
  const reporter = createNodeReporter({ ...own, nodes, owner: 'd', dispatcher, heartbeat: createHeartbeat() });
  const database = createMemoryDatabase(clock);
  const offerer = createJobOfferer({
    due: slowed(createMemoryDueReferences({ tables }), sleep, lookMs),
    partitions: createMemoryPartitionLeases({ tables, leases: database.leases, leader: leaderLease }),
    leases: createMemoryLeases({ database }),
    publisher: bus.publisher(),
    dispatchers: slowed(createMemoryDispatchers({ tables }), sleep, 50),
    rateOf: () => undefined,
    nameOf: () => undefined,
    changes: createMemoryChangeFeed(),
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

  await subject.add(Array.from({ length: 3000 }, (_, nth) => ({ jobId: jobIdOf(nth), clientId: slow, dueInMs: 0 })));
  const count = (quickPerSecond * lastsMs) / 1000;
  const jobs = Array.from({ length: count }, (_, nth) => ({
    jobId: jobIdOf(10_000 + nth),
    clientId: quick,
    dueInMs: 1000 + (nth * lastsMs) / count,
  }));
  const atMs = clock.nowMs();
  await subject.add(jobs);
  await passTime(clock, lastsMs + 60_000);
  const stopping = [stop(dispatcher), reporter.stop(), offerer.stopIntake().then(() => offerer.finishWork())];
  await passTime(clock, 10_000);
  await Promise.all(stopping);
  return jobs.map(({ jobId, dueInMs }) => (calledAt.get(publicId('job', jobId)) ?? Infinity) - (atMs + dueInMs));
}

describe('a client at its rate limit on a machine without spare CPU', () => {
  it.each([200, 500, 1000])('has a bounded delay with statements of %i ms', async (lookMs) => {
    const lateMs = await latenessOnABusyMachine({ lookMs });
    // A look, the look for clients that are behind with its pause, a credit report, and the jobs that were due
    // meanwhile.
    expect(Math.max(...lateMs)).toBeLessThan(4 * lookMs + 1000);
  });
});
