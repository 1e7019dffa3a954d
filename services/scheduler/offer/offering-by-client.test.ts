import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createPrometheusMeter } from '../../../shared/runtime/meter/prometheus-meter.ts';
import { clientIdOf, jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { createMemoryDueReferences } from '../../../test/support/memory/due-references.ts';
import { setUpOfferers } from '../../../test/support/offerer-subject.ts';
import { passTime } from '../../../test/support/pass-time.ts';
import type { DueReferences } from '../ports/due-references.ts';

describe('the offers to many clients', () => {
  it('include a job again whose lease lapsed, as soon as its client, which has a backlog, has credit', async () => {
    const { clock, tables, takes, started, stop, offered, many } = setUpOfferers();
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

  it('keep a client within its rate limit, and include all its jobs in the end', async () => {
    const { clock, started, stop, offered, many } = setUpOfferers({ [clientIdOf(1)]: 50 });
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

  it("include a small client's jobs while a large client waits for its rate limit", async () => {
    const { clock, started, stop, offered, many } = setUpOfferers({ [clientIdOf(1)]: 100 });
    const offerer = await started('a');
    await many(800);
    await passTime(clock, 1000);
    await many(20, clientIdOf(2), 20_000);
    await passTime(clock, 100);
    expect(offered().filter(({ clientId }) => clientId === clientIdOf(2))).toHaveLength(20);
    await stop(offerer);
  });

  it("respect each client's credit, and a client without credit does not delay others", async () => {
    const { clock, takes, started, stop, offered, many } = setUpOfferers();
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

  it("are measured by the waiting time of each client's oldest job, for the 20 clients that wait longest", async () => {
    const { clock, takes, started, stop, many, add } = setUpOfferers();
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
    // Only 20 clients are reported, so the client with the youngest job is missing.
    const others = clients.slice(1).map((clientId, index) => ({ clientId, jobId: jobIdOf(1000 + 64 * index) }));
    await add(...others.map((job, index) => ({ ...job, dueInMs: index - 100 })));
    await passTime(clock, 1000);
    const notified = async () => {
      const { text } = await meter.expose();
      const lines = text.matchAll(/^muster_job_client_behind_seconds\{client="(.*)"\} (.*)$/gm);
      return new Map(Array.from(lines, ([, client = '', seconds]) => [client, Math.round(Number(seconds))]));
    };
    const before = await notified();
    expect(before.size).toBe(20);
    expect([before.get('crowd'), before.get(clientIdOf(2)), before.get(clientIdOf(21))]).toEqual([4, 1, undefined]);
    // In this time, the partitions are read again from their beginning, and no job is found.
    await passTime(clock, 61_000);
    expect((await notified()).get('crowd')).toBe(65);
    takes('d', 1000);
    await passTime(clock, 1000);
    expect(await notified()).toEqual(new Map());
    await stop(offerer);
  });

  it('continue for other clients while the reads for a client with a backlog hang', async () => {
    const { clock, tables, takes, started, stop, offered, many } = setUpOfferers();
    const due = createMemoryDueReferences({ tables });
    const crowdIsRead = Promise.withResolvers<undefined>();
    const slowly = async <Result>(read: () => Promise<Result>) => {
      await crowdIsRead.promise;
      return await read();
    };
    const slow: DueReferences = {
      ...due,
      readOfClients: (ranges, rows) => slowly(() => due.readOfClients(ranges, rows)),
      scanLate: (marks, horizon) => slowly(() => due.scanLate(marks, horizon)),
      sweep: (...requested) => slowly(() => due.sweep(...requested)),
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
});
