import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { jobReferences } from '../../shared/contracts/messages/job-references.ts';
import { clientIdOf, jobIdOf, type SeedJob } from '../../test/support/conformance/job-subject.ts';
import { createCallbackTables } from '../../test/support/memory/callback-tables.ts';
import { createMemoryDueReferences } from '../../test/support/memory/due-references.ts';
import { memoryJobSubject } from '../../test/support/memory/job-subject.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import { createMemoryBus } from '../../test/support/memory/memory-bus.ts';
import { createMemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryNotices } from '../../test/support/memory/notices.ts';
import { createMemoryPartitionLeases } from '../../test/support/memory/partition-leases.ts';
import { createPrometheusMeter } from '../../shared/runtime/meter/prometheus-meter.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import type { DispatcherCredit } from './ports/dispatchers.ts';
import type { DueReferences } from './ports/due-references.ts';
import { createJobOfferer, leaderLease, type JobOffererDeps } from './job-offerer.ts';

const topic = 'muster.local.calls';
const leaseMs = 9000;

function setUp(rates: Record<string, number> = {}) {
  const clock = createSettableClock();
  const database = createMemoryDatabase(clock);
  const tables = createCallbackTables(clock, database.scheduled);
  const subject = memoryJobSubject(tables);
  const bus = createMemoryBus({ topics: [topic] });
  const region = { name: 'local', epoch: 1, active: true };
  const notices = createMemoryNotices();
  /** What dispatchers take, by their owners. */
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
      ...{ notices, topic, owner, leaseMs, clock, logger: pino({ level: 'silent' }) },
      ...more,
    });

  const offered = () =>
    bus.messages(topic).flatMap(({ value }) => {
      const { clients, jobs } = jobReferences.parse(JSON.parse(value));
      return jobs.map(([partition, dueUs, jobId, place]) => ({
        partition,
        dueUs,
        jobId,
        clientId: clients[place] ?? '',
      }));
    });
  /** As a process does whose notice is lost. */
  const addUntold = (...jobs: (Partial<SeedJob> & { jobId: string })[]) =>
    subject.add(jobs.map((job) => ({ clientId: clientIdOf(1), dueInMs: 0, ...job })));
  const add = async (...jobs: (Partial<SeedJob> & { jobId: string })[]) => {
    const keys = await addUntold(...jobs);
    notices.tell('jobs');
    return keys;
  };
  const many = (count: number, clientId = clientIdOf(1), from = 0) =>
    add(...Array.from({ length: count }, (_, index) => ({ jobId: jobIdOf(from + index), clientId })));

  /** Long enough for the first to lead and to own everything. */
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
  const told = { notices, add, addUntold, many };
  return { clock, tables, subject, bus, region, taking, takes, offererOf, started, stop, offered, ...told };
}

describe('offering jobs that are due', () => {
  it('offers each within some milliseconds of its time, never before it, and once', async () => {
    const { clock, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    const keys = await add({ jobId: jobIdOf(1), dueInMs: 100 }, { jobId: jobIdOf(2), dueInMs: 300 });
    await passTime(clock, 99);
    expect(offered()).toEqual([]);
    await passTime(clock, 16);
    expect(offered()).toEqual([{ ...keys[0], clientId: clientIdOf(1) }]);
    await passTime(clock, 5000);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(2)]);
    await stop(offerer);
  });

  it('looks at once when it is told of a job while nothing was near', async () => {
    const { clock, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('looks on for half a second after it was told: who tells of one job is silent about the next ones', async () => {
    const { clock, notices, started, stop, offered, addUntold } = setUp();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    notices.tell('jobs');
    for (const [number, afterMs] of [225, 225].entries()) {
      await passTime(clock, afterMs);
      await addUntold({ jobId: jobIdOf(number) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(number + 1);
    }
    await stop(offerer);
  });

  it('finds a job within two seconds of which the notice was lost', async () => {
    const { clock, started, stop, offered, addUntold } = setUp();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    await addUntold({ jobId: jobIdOf(1) });
    await passTime(clock, 2000);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('sleeps while nothing is due, and looks again when the next one is', async () => {
    const { clock, tables, started, stop, offered, addUntold } = setUp();
    const due = createMemoryDueReferences({ tables });
    let looks = 0;
    const counted: DueReferences = {
      ...due,
      look: (marks, limit, aheadMs) => {
        looks++;
        return due.look(marks, limit, aheadMs);
      },
    };
    const offerer = await started('a', { due: counted });
    await addUntold({ jobId: jobIdOf(1), dueInMs: 7000 });
    looks = 0;
    await passTime(clock, 6999);
    expect(looks).toBeLessThanOrEqual(4);
    expect(offered()).toEqual([]);
    await passTime(clock, 1);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('looks every fifty milliseconds while nothing can be told', async () => {
    const { clock, notices, started, stop, offered, addUntold } = setUp();
    const offerer = await started('a');
    await passTime(clock, 10_000);
    notices.lose();
    for (const jobs of [1, 2, 3]) {
      await addUntold({ jobId: jobIdOf(jobs) });
      await passTime(clock, 50);
      expect(offered()).toHaveLength(jobs);
      await passTime(clock, 5000);
    }
    await stop(offerer);
  });

  it('takes a crowd without a pause, a few dozen in a message', async () => {
    const { clock, bus, started, stop, offered, many } = setUp();
    const offerer = await started('a');
    await many(1500);
    await passTime(clock, 300);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(1500);
    expect(bus.messages(topic).length).toBeLessThanOrEqual(1500 / 50 + 64);
    await stop(offerer);
  });

  it('finds what was committed behind its marks, and does not offer what it knows again', async () => {
    const { clock, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    // The same partition: ids whose last bytes are 64 apart.
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    await add({ jobId: jobIdOf(65), dueInMs: -400 });
    await passTime(clock, 300);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(65)]);
    await stop(offerer);
  });

  it('looks for late commits as long as one may be found, and no longer', async () => {
    const { clock, tables, started, stop, offered, add } = setUp();
    const due = createMemoryDueReferences({ tables });
    let looks = 0;
    const counted: DueReferences = {
      ...due,
      lookLate: (marks, horizon) => {
        looks++;
        return due.lookLate(marks, horizon);
      },
    };
    const offerer = await started('a', { due: counted });
    expect(looks).toBe(0);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 9000);
    await add({ jobId: jobIdOf(65), dueInMs: -9500 });
    await passTime(clock, 300);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1), jobIdOf(65)]);
    await passTime(clock, 3000);
    looks = 0;
    await passTime(clock, 60_000);
    expect(looks).toBe(0);
    await add({ jobId: jobIdOf(2) });
    await passTime(clock, 1000);
    expect(looks).toBeGreaterThanOrEqual(3);
    await stop(offerer);
  });

  it('without late looks, that job waits for the sweep', async () => {
    const { clock, tables, started, stop, offered, add } = setUp();
    const due = {
      ...createMemoryDueReferences({ tables }),
      lookLate: () => Promise.resolve({ late: [], horizon: '1', nowUs: 0 }),
    };
    const offerer = await started('a', { due });
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    await add({ jobId: jobIdOf(65), dueInMs: -400 });
    await passTime(clock, 8000);
    expect(offered().map(({ jobId }) => jobId)).toEqual([jobIdOf(1)]);
    await stop(offerer);
  });

  it('offers again what nobody calls, after ten seconds, twenty more, forty more', async () => {
    const { clock, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    const counts: number[] = [];
    for (let seconds = 0; seconds < 80; seconds++) {
      await passTime(clock, 1000);
      counts.push(offered().length);
    }
    const risesAt = counts.flatMap((count, index) => (count > (counts[index - 1] ?? 0) ? [index] : []));
    expect(risesAt).toHaveLength(4);
    expect(risesAt[1]).toBeGreaterThanOrEqual(10);
    expect(risesAt[1]).toBeLessThanOrEqual(14);
    expect((risesAt[2] ?? 0) - (risesAt[1] ?? 0)).toBeGreaterThanOrEqual(20);
    expect((risesAt[3] ?? 0) - (risesAt[2] ?? 0)).toBeGreaterThanOrEqual(40);
    await stop(offerer);
  });

  it('leaves alone what somebody calls, until the lease of that runs out', async () => {
    const { clock, tables, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    const leaseUntilMs = clock.nowMs() + 30_000;
    tables.fires.set(jobIdOf(1), { jobId: jobIdOf(1), owner: 'd', epoch: 1, leaseUntilMs });
    await passTime(clock, 29_000);
    expect(offered()).toHaveLength(1);
    await passTime(clock, 5000);
    expect(offered()).toHaveLength(2);
    await stop(offerer);
  });

  it('offers it again also where its client is behind, as soon as there is credit', async () => {
    const { clock, tables, takes, started, stop, offered, many } = setUp();
    takes('d', 2);
    const offerer = await started('a');
    await many(10);
    await passTime(clock, 50);
    expect(offered()).toHaveLength(2);
    const [claimed] = offered();
    if (!claimed) throw new Error('nothing was offered');
    takes('d', 0);
    const fire = { jobId: claimed.jobId, owner: 'd', epoch: 1, leaseUntilMs: clock.nowMs() + 30_000 };
    tables.fires.set(claimed.jobId, fire);
    await passTime(clock, 35_000);
    expect(offered()).toHaveLength(2);
    takes('d', 20);
    await passTime(clock, 500);
    expect(offered().filter(({ jobId }) => jobId === claimed.jobId)).toHaveLength(2);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(10);
    await stop(offerer);
  });

  it('offers what could not be published until it can be', async () => {
    const { clock, bus, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    bus.setWritable(topic, false);
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 3000);
    expect(offered()).toEqual([]);
    bus.setWritable(topic, true);
    await passTime(clock, 1000);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });

  it('keeps a client to its rate, and offers all of its jobs in the end', async () => {
    const { clock, started, stop, offered, many } = setUp({ [clientIdOf(1)]: 50 });
    const offerer = await started('a');
    await many(300);
    await passTime(clock, 2000);
    const soon = offered().length;
    expect(soon).toBeGreaterThan(90);
    expect(soon).toBeLessThanOrEqual(113);
    await passTime(clock, 5000);
    expect(new Set(offered().map(({ jobId }) => jobId)).size).toBe(300);
    await stop(offerer);
  });

  it('lets a small client pass a large one that waits for its rate', async () => {
    const { clock, started, stop, offered, many } = setUp({ [clientIdOf(1)]: 100 });
    const offerer = await started('a');
    await many(800);
    await passTime(clock, 1000);
    await many(20, clientIdOf(2), 20_000);
    await passTime(clock, 100);
    expect(offered().filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(20);
    await stop(offerer);
  });

  it('offers of each client what dispatchers take of it; the rest stays where it is, and nobody waits for it', async () => {
    const { clock, takes, started, stop, offered, many } = setUp();
    takes('d', 30);
    takes('e', 20);
    const offerer = await started('a');
    await many(1000);
    await passTime(clock, 100);
    await many(40, clientIdOf(2), 20_000);
    await passTime(clock, 100);
    const of = (client: number) =>
      new Set(offered().flatMap(({ clientId, jobId }) => (clientId === clientIdOf(client) ? jobId : []))).size;
    expect([of(1), of(2)]).toEqual([50, 40]);
    takes('d', 30, [[clientIdOf(1), 0]]);
    takes('e', 20, [[clientIdOf(1), 0]]);
    await passTime(clock, 5000);
    expect([of(1), of(2)]).toEqual([50, 40]);
    takes('e', 20, [[clientIdOf(1), 7]]);
    await passTime(clock, 100);
    expect([of(1), of(2)]).toEqual([57, 40]);
    takes('d', 10_000);
    takes('e', 20);
    await passTime(clock, 500);
    expect(of(1)).toBe(1000);
    await stop(offerer);
  });

  it('says of each client for how long its oldest job has waited for a dispatcher, of the twenty longest', async () => {
    const { clock, takes, started, stop, many, add } = setUp();
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    const clients = Array.from({ length: 21 }, (_, index) => clientIdOf(index + 1));
    takes(
      'd',
      10,
      clients.map((clientId) => [clientId, 0]),
    );
    const offerer = await started('a', { meter });
    await many(30);
    await passTime(clock, 3000);
    // The youngest of all is the one that is not told.
    const others = clients.slice(1).map((clientId, index) => ({ clientId, jobId: jobIdOf(1000 + 64 * index) }));
    await add(...others.map((job, index) => ({ ...job, dueInMs: index - 100 })));
    await passTime(clock, 1000);
    const told = async () => {
      const { text } = await meter.expose();
      const lines = text.matchAll(/^muster_job_client_behind_seconds\{client="(.*)"\} (.*)$/gm);
      return new Map(Array.from(lines, ([, client = '', seconds]) => [client, Math.round(Number(seconds))]));
    };
    const before = await told();
    expect(before.size).toBe(20);
    expect([before.get('crowd'), before.get(clientIdOf(2)), before.get(clientIdOf(21))]).toEqual([4, 1, undefined]);
    // Read again from their beginning meanwhile, where there is nothing.
    await passTime(clock, 61_000);
    expect((await told()).get('crowd')).toBe(65);
    takes('d', 1000);
    await passTime(clock, 1000);
    expect(await told()).toEqual(new Map());
    await stop(offerer);
  });

  it('looks on, however long it takes to read for a client that is behind, to look back and to sweep', async () => {
    const { clock, tables, takes, started, stop, offered, many } = setUp();
    const due = createMemoryDueReferences({ tables });
    const crowdIsRead = Promise.withResolvers<undefined>();
    const slowly = async <Result>(read: () => Promise<Result>) => {
      await crowdIsRead.promise;
      return await read();
    };
    const slow: DueReferences = {
      ...due,
      lookOf: (ranges, rows) => slowly(() => due.lookOf(ranges, rows)),
      lookLate: (marks, horizon) => slowly(() => due.lookLate(marks, horizon)),
      sweep: (ranges, rows) => slowly(() => due.sweep(ranges, rows)),
      sweepLapsed: (ranges, limit) => slowly(() => due.sweepLapsed(ranges, limit)),
    };
    takes('d', 50);
    const offerer = await started('a', { due: slow });
    await many(1000);
    await passTime(clock, 500);
    await many(40, clientIdOf(2), 20_000);
    await passTime(clock, 30);
    expect(offered().filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(40);
    crowdIsRead.resolve(undefined);
    await stop(offerer);
  });

  it('sweeps every two seconds, and less often where that takes long: the database has others to serve', async () => {
    const { clock, tables, started, stop, many } = setUp();
    const due = createMemoryDueReferences({ tables });
    let [sweeps, tookMs] = [0, 0];
    const slow: DueReferences = {
      ...due,
      sweep: async (ranges, rows) => {
        sweeps++;
        await clock.sleep(tookMs);
        return await due.sweep(ranges, rows);
      },
    };
    const offerer = await started('a', { due: slow });
    await many(640);
    await passTime(clock, 12_000);
    sweeps = 0;
    await passTime(clock, 22_000);
    expect(sweeps).toBe(11);
    tookMs = 1000;
    await passTime(clock, 2000);
    sweeps = 0;
    await passTime(clock, 22_000);
    expect(sweeps).toBe(2);
    tookMs = 0;
    await passTime(clock, 1000);
    await stop(offerer);
  });

  it('looks at nothing while no dispatcher takes anything', async () => {
    const { clock, taking, takes, started, stop, offered, many } = setUp();
    taking.clear();
    const offerer = await started('a');
    await many(10);
    await passTime(clock, 3000);
    expect(offered()).toEqual([]);
    takes('d', 100);
    await passTime(clock, 1100);
    expect(offered()).toHaveLength(10);
    await stop(offerer);
  });

  it('finds a commit that came late within ten seconds and a sweep, also beside a client that is behind', async () => {
    const { clock, takes, started, stop, offered, many, add } = setUp();
    takes('d', 100, [[clientIdOf(1), 0]]);
    const offerer = await started('a');
    await many(640);
    await passTime(clock, 1000);
    // One of the same partition moves its mark on.
    await add({ jobId: jobIdOf(64 * 1000), clientId: clientIdOf(2) });
    await passTime(clock, 6000);
    await add({ jobId: jobIdOf(64 * 1001), clientId: clientIdOf(2), dueInMs: -6500 });
    await passTime(clock, 7000);
    expect(offered().map(({ jobId }) => jobId)).toContain(jobIdOf(64 * 1001));
    await stop(offerer);
  });

  it('offers again at once what a dispatcher had in memory that is gone', async () => {
    const { clock, taking, takes, started, stop, offered, many } = setUp();
    takes('e', 10_000);
    const offerer = await started('a');
    await many(100);
    await passTime(clock, 3000);
    expect(offered()).toHaveLength(100);
    taking.delete('e');
    await passTime(clock, 1100);
    expect(offered()).toHaveLength(200);
    await stop(offerer);
  });

  it('reads a client that is behind from its beginning once a minute: what Kafka lost of it is found', async () => {
    const { clock, takes, started, stop, offered, add } = setUp();
    takes('d', 5);
    const offerer = await started('a');
    await add(...Array.from({ length: 20 }, (_, index) => ({ jobId: jobIdOf(64 * index) })));
    await passTime(clock, 50);
    const lost = new Set(offered().map(({ jobId }) => jobId));
    expect(lost.size).toBe(5);
    takes('d', 0);
    await passTime(clock, 61_000);
    takes('d', 5);
    await passTime(clock, 200);
    const times = (id: string) => offered().filter(({ jobId }) => jobId === id).length;
    expect([...lost].map(times)).toEqual([2, 2, 2, 2, 2]);
    await stop(offerer);
  });

  it('offers nothing while its region is switched off', async () => {
    const { clock, region, started, stop, offered, add } = setUp();
    const offerer = await started('a');
    region.active = false;
    await add({ jobId: jobIdOf(1) });
    await passTime(clock, 5000);
    expect(offered()).toEqual([]);
    region.active = true;
    await passTime(clock, 100);
    expect(offered()).toHaveLength(1);
    await stop(offerer);
  });
});

describe('partitions among schedulers', () => {
  it('all belong to the only one, are shared with the second, and go back when that ends in order', async () => {
    const { clock, started, stop, offererOf, offered, many } = setUp();
    const first = await started('a');
    expect(first.owned()).toHaveLength(64);
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    expect(first.owned().length + second.owned().length).toBe(64);
    expect(first.owned()).toHaveLength(32);
    await stop(second);
    await passTime(clock, 5000);
    expect(first.owned()).toHaveLength(64);
    await many(64);
    await passTime(clock, 100);
    expect(offered()).toHaveLength(64);
    await stop(first);
  });

  it('go to another when their owner dies without a word, after its lease and not before', async () => {
    const { clock, started, offererOf, stop } = setUp();
    const first = await started('a');
    const second = offererOf('b');
    second.start();
    await passTime(clock, 20_000);
    // It hears nothing and renews nothing any more, but believes to own what it had.
    await first.stopIntake();
    expect(second.owned()).toHaveLength(32);
    await stop(first);
    await passTime(clock, leaseMs + 6000);
    expect(second.owned()).toHaveLength(64);
    await stop(second);
  });

  it('are looked at no longer than their lease can last, when the database does not answer', async () => {
    let isDown = false;
    const { clock, started, tables, stop } = setUp();
    const real = createMemoryPartitionLeases({ tables, leases: new Map(), leader: leaderLease });
    const offerer = await started('a', {
      partitions: {
        ...real,
        beat: (beat, released) => (isDown ? Promise.reject(new Error('down')) : real.beat(beat, released)),
        assign: (_leader, wanted) => {
          for (const [partition, node] of wanted) Object.assign(tables.partitions[partition] ?? {}, { wanted: node });
          return Promise.resolve();
        },
      },
    });
    expect(offerer.owned()).toHaveLength(64);
    isDown = true;
    await passTime(clock, leaseMs + 1);
    expect(offerer.owned()).toEqual([]);
    isDown = false;
    await stop(offerer);
  });
});
