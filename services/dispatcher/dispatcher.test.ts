import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf, type SeedJob } from '../../test/support/conformance/job-subject.ts';
import { createMemoryCallLedger } from '../../test/support/memory/call-ledger.ts';
import { createCallbackTables } from '../../test/support/memory/callback-tables.ts';
import { createMemoryHostCircuits } from '../../test/support/memory/host-circuits.ts';
import { memoryJobSubject } from '../../test/support/memory/job-subject.ts';
import { createMemoryBus } from '../../test/support/memory/memory-bus.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { createSettableClock } from '../../test/support/settable-clock.ts';
import { jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { createDispatcher, type DispatcherDeps } from './dispatcher.ts';
import type { Callback, CallbackAnswer } from './ports/callback-endpoint.ts';
import type { ClientTerms } from './ports/client-terms.ts';

const topic = 'muster.local.calls';
const leaseMs = 60_000;
const ok: CallbackAnswer = { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from('thanks') };
/** Ids of jobs from one number until before another. */
const numbered = (from: number, until: number) =>
  Array.from({ length: until - from }, (_, index) => jobIdOf(from + index));
const status = (code: number): CallbackAnswer => ({ ...ok, status: code });

function setUp(answerOf: (call: Callback) => CallbackAnswer | Promise<CallbackAnswer> = () => ok) {
  const clock = createSettableClock();
  const tables = createCallbackTables(clock);
  const subject = memoryJobSubject(tables);
  const bus = createMemoryBus({ topics: [topic], laneHighMark: 512 });
  const calls: Callback[] = [];
  const letters: string[] = [];
  const clients = new Map<string, Partial<ClientTerms>>();
  const logger = pino({ level: 'silent' });

  function termsOf(clientId: string): ClientTerms | undefined {
    if (clientId === clientIdOf(404)) return undefined;
    const limits = { clientId, revision: 1, concurrency: 10, timeoutMs: 1000, egress: [] };
    return {
      ...{ limits, enabled: true, retries: { strategy: 'fixed', attempts: 3, delayMs: 1000 } },
      sideline: { afterFailures: 5, failureRate: 0.5, probeEveryMs: 30_000, pathPrefixes: [] },
      ...{ onGone: 'dead-letter', sign: () => [] },
      ...clients.get(clientId),
    };
  }

  const dispatcherOf = (owner: string, ownClock: Clock = clock, more: Partial<DispatcherDeps> = {}) =>
    createDispatcher({
      consumer: bus.consumer('dispatchers', [topic]),
      ledger: createMemoryCallLedger({ tables, owner, leaseMs }),
      circuits: createMemoryHostCircuits({ tables, owner, leaseMs }),
      clients: { termsOf },
      endpoint: {
        call: async (call) => {
          calls.push(call);
          return await answerOf(call);
        },
      },
      deadLetters: {
        add: (added) => {
          letters.push(...added.map(({ reason }) => reason));
          return Promise.resolve();
        },
      },
      ...{ leaseMs, concurrency: 100, clock: ownClock, random: () => 0.5, logger },
      ...more,
    });

  /** Adds jobs and offers them. */
  async function offer(...jobs: (Partial<SeedJob> & { jobId: string })[]): Promise<void> {
    const seeds = jobs.map((job) => ({ clientId: clientIdOf(1), dueInMs: 0, ...job }));
    const keys = await subject.add(seeds);
    const references = keys.map(({ partition, dueUs, jobId }, index) => [partition, dueUs, jobId, index]);
    const owners = seeds.map(({ clientId }) => clientId);
    await bus.publisher().publish([{ topic, value: JSON.stringify({ clients: owners, jobs: references }) }]);
  }

  /** What a scheduler does: offers what is due and not called, then lets so much time pass. */
  async function offerDue(thenMs: number): Promise<void> {
    const due = [...tables.jobs.values()].filter((job) => job.dueAtMs <= clock.nowMs() && !tables.fires.has(job.jobId));
    const references = due.map(({ jobId, dueAtMs }) => [jobPartitionOf(jobId), dueAtMs * 1000, jobId, 0]);
    const value = JSON.stringify({ clients: [clientIdOf(1)], jobs: references });
    if (references.length > 0) await bus.publisher().publish([{ topic, value }]);
    await passTime(clock, thenMs);
  }

  async function stop(dispatcher: ReturnType<typeof dispatcherOf>): Promise<void> {
    const stopping = dispatcher.stopIntake().then(() => dispatcher.finishWork());
    await passTime(clock, 100);
    await stopping;
  }
  return { clock, tables, subject, bus, calls, letters, clients, dispatcherOf, offer, offerDue, stop };
}

describe('the dispatcher', () => {
  it('calls what is offered, once, and writes what came of it', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = setUp();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), url: 'https://one.example/a?b=c', body: '{"x":1}' });
    await offer({ jobId: jobIdOf(1), url: 'https://one.example/a?b=c', body: '{"x":1}' });
    await passTime(clock, 100);
    expect(calls).toHaveLength(1);
    expect(calls[0]).toMatchObject({ method: 'POST', origin: 'https://one.example', path: '/a?b=c' });
    expect(calls[0]?.body?.toString()).toBe('{"x":1}');
    const rows = await subject.rows();
    expect(rows).toMatchObject({
      pending: [],
      fires: [],
      ended: [{ outcome: 'called', status: 200, answer: 'thanks' }],
    });
    await stop(dispatcher);
  });

  it('sends the same webhook-id with every attempt', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = setUp(() => status(500));
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 2000);
    const dueAtMs = tables.jobs.get(jobIdOf(1))?.dueAtMs ?? 0;
    await passTime(clock, Math.max(0, dueAtMs - clock.nowMs()));
    await offer({ jobId: jobIdOf(1), attempt: 2 });
    await passTime(clock, 100);
    const ids = calls.map(({ headers }) => headers[headers.indexOf('webhook-id') + 1]);
    const attempts = calls.map(({ headers }) => headers[headers.indexOf('muster-attempt') + 1]);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
    expect(ids[0]).toMatch(/^job_/);
    expect(attempts).toEqual(['1', '2']);
    await stop(dispatcher);
  });

  it('calls a job again at its next time, though it has not heard yet that what came before is stored', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = setUp(() => status(500));
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    let lost = 0;
    const dispatcher = dispatcherOf('a', clock, {
      ledger: {
        ...real,
        flush: async (work) => {
          const flushed = await real.flush(work);
          if (work.results.length > 0 && lost++ === 0) throw new Error('the connection broke after the commit');
          return flushed;
        },
      },
    });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect([calls.length, lost]).toEqual([1, 1]);
    await offer({ jobId: jobIdOf(1), attempt: 2 });
    await passTime(clock, 1000);
    expect(calls).toHaveLength(2);
    expect(tables.jobs.get(jobIdOf(1))?.attempt).toBe(3);
    await stop(dispatcher);
  });

  it('signs the time of the database, however wrong its own clock is', async () => {
    const { clock, calls, dispatcherOf, offer, stop } = setUp();
    const dispatcher = dispatcherOf('a', { ...clock, now: () => new Date(clock.nowMs() + 3_600_000) });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    const headers = calls[0]?.headers ?? [];
    const signedMs = Number(headers[headers.indexOf('webhook-timestamp') + 1]) * 1000;
    expect(Math.abs(signedMs - clock.nowMs())).toBeLessThanOrEqual(1000);
    await stop(dispatcher);
  });

  it('ends when every call under way has, and what came of each is written: none is in doubt', async () => {
    const gates: (() => void)[] = [];
    const { clock, subject, calls, dispatcherOf, offer } = setUp(
      () => new Promise((resolve) => gates.push(() => resolve(ok))),
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) }, { jobId: jobIdOf(2) });
    await passTime(clock, 100);
    expect(calls).toHaveLength(2);
    const stopping = dispatcher.stopIntake().then(() => dispatcher.finishWork());
    for (const open of gates) {
      await passTime(clock, 1000);
      open();
    }
    await passTime(clock, 100);
    await stopping;
    const rows = await subject.rows();
    expect(rows).toMatchObject({ pending: [], fires: [], ended: [{ outcome: 'called' }, { outcome: 'called' }] });
  });

  it('does not call what expired before its claim, or while it waited for a slot', async () => {
    const gates: (() => void)[] = [];
    const { clock, subject, calls, clients, dispatcherOf, offer, stop } = setUp(
      () => new Promise((resolve) => gates.push(() => resolve(ok))),
    );
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), expiresInMs: 0 });
    await offer({ jobId: jobIdOf(2) }, { jobId: jobIdOf(3), expiresInMs: 500 });
    await passTime(clock, 600);
    expect(calls).toHaveLength(1);
    gates.forEach((open) => open());
    await passTime(clock, 100);
    expect(calls).toHaveLength(1);
    expect((await subject.rows()).ended.map(({ outcome }) => outcome)).toEqual(['expired', 'called', 'expired']);
    await stop(dispatcher);
  });

  it('tries again as the client wants, and gives up after the last attempt', async () => {
    const { clock, subject, dispatcherOf, offer, stop } = setUp(() => status(500));
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) }, { jobId: jobIdOf(2), attempt: 3 });
    await passTime(clock, 100);
    expect(await subject.rows()).toMatchObject({
      pending: [{ jobId: jobIdOf(1), attempt: 2 }],
      attempts: [{ jobId: jobIdOf(1), attempt: 1, status: 500 }],
      dead: [{ jobId: jobIdOf(2), cause: 'status 500' }],
    });
    await stop(dispatcher);
  });

  it('keeps the calls of each client within its own number, and slow ones from holding up others', async () => {
    const slow = clientIdOf(1);
    const { clock, subject, calls, dispatcherOf, offer } = setUp((call) =>
      call.limits.clientId === slow ? new Promise(() => undefined) : ok,
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer(...Array.from({ length: 45 }, (_, index) => ({ jobId: jobIdOf(index) })));
    await offer({ jobId: jobIdOf(100), clientId: clientIdOf(2) });
    await passTime(clock, 100);
    expect(calls.filter(({ limits }) => limits.clientId === slow)).toHaveLength(10);
    expect((await subject.rows()).ended.map(({ jobId }) => jobId)).toEqual([jobIdOf(100)]);
    // Claimed is what has a slot; the rest is left to others.
    expect((await subject.rows()).fires).toHaveLength(10);
  });

  it('puts the jobs of a host aside that fails again and again, and of no other', async () => {
    const { clock, subject, tables, calls, dispatcherOf, offer, stop } = setUp((call) =>
      call.origin.includes('down') ? { kind: 'unanswered', cause: 'connection refused' } : ok,
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    const down = (index: number) => ({ jobId: jobIdOf(index), url: 'https://down.example/' });
    await offer(...Array.from({ length: 5 }, (_, index) => down(index)));
    await passTime(clock, 50);
    await offer(down(10), down(11), { jobId: jobIdOf(20), url: 'https://up.example/' });
    await passTime(clock, 50);
    expect(calls.filter(({ origin }) => origin.includes('down'))).toHaveLength(5);
    const rows = await subject.rows();
    expect(rows.pending.filter(({ sideline }) => sideline === 'down.example').map(({ jobId }) => jobId)).toEqual([
      jobIdOf(10),
      jobIdOf(11),
    ]);
    expect(rows.ended).toMatchObject([{ jobId: jobIdOf(20), outcome: 'called' }]);
    expect([...tables.circuits.values()]).toMatchObject([{ host: 'down.example', state: 'open' }]);
    await stop(dispatcher);
  });

  it('tries a host that is down with one job after another, ever less often, which costs them no attempt', async () => {
    let isUp = false;
    const { clock, subject, tables, calls, dispatcherOf, stop } = setUp(() =>
      isUp ? ok : { kind: 'unanswered', cause: 'connection refused' },
    );
    const sideline = 'receiver.example';
    const key = { clientId: clientIdOf(1), host: sideline };
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    await subject.add(
      numbers.map((number) => ({ jobId: jobIdOf(number), clientId: clientIdOf(1), dueInMs: -1, sideline })),
    );
    await createMemoryHostCircuits({ tables, owner: 'x', leaseMs }).open(key, 'down', 0);
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 300_000);
    // After 0, 1, 2, 4, 8 and 16 s, then every 30 s; looks are a second apart.
    expect(calls.length).toBeGreaterThanOrEqual(12);
    expect(calls.length).toBeLessThanOrEqual(17);
    const tried = calls.map(({ headers }) => headers[headers.indexOf('webhook-id') + 1]);
    expect(new Set(tried).size).toBe(calls.length);
    const { pending } = await subject.rows();
    expect(pending.map(({ attempt }) => attempt)).toEqual(numbers.map(() => 1));
    expect(pending.every((job) => job.sideline === sideline)).toBe(true);

    isUp = true;
    const before = calls.length;
    await passTime(clock, 31_000);
    expect(calls).toHaveLength(before + 1);
    const back = (await subject.rows()).pending.filter((job) => job.sideline === null).length;
    expect(back).toBeGreaterThanOrEqual(10);
    await passTime(clock, 5000);
    expect((await subject.rows()).pending.filter((job) => job.sideline !== null)).toEqual([]);
    expect(tables.circuits.size).toBe(0);
    await stop(dispatcher);
  });

  it('an answer to the job that tries a host is an attempt of it: what is never taken ends in the dead letters', async () => {
    const { clock, subject, tables, calls, dispatcherOf, offerDue, stop } = setUp(() => status(503));
    const sideline = 'receiver.example';
    await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -1, sideline }]);
    const circuits = createMemoryHostCircuits({ tables, owner: 'x', leaseMs });
    await circuits.open({ clientId: clientIdOf(1), host: sideline }, 'down', 0);
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 900);
    expect(calls).toHaveLength(1);
    expect(await subject.rows()).toMatchObject({
      pending: [{ attempt: 2, sideline: null }],
      attempts: [{ jobId: jobIdOf(1), attempt: 1, status: 503 }],
    });
    for (let seconds = 0; seconds < 10; seconds++) await offerDue(1000);
    expect(await subject.rows()).toMatchObject({ pending: [], dead: [{ jobId: jobIdOf(1), cause: 'status 503' }] });
    expect(calls).toHaveLength(3);
    await stop(dispatcher);
  });

  it('ten jobs that their receiver cannot take end as dead letters, and hold up no other of its jobs', async () => {
    const { clock, subject, calls, dispatcherOf, offer, offerDue, stop } = setUp(({ path }) =>
      status(path === '/bad' ? 500 : 200),
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer(...numbered(0, 10).map((jobId) => ({ jobId, url: 'https://one.example/bad' })));
    await passTime(clock, 100);
    const startedMs = clock.nowMs();
    await offer(...numbered(10, 30).map((jobId) => ({ jobId, url: 'https://one.example/good' })));
    const goodCalled = () =>
      new Set(calls.filter(({ path }) => path === '/good').map(({ headers }) => headers.join())).size;
    while (goodCalled() < 20 && clock.nowMs() - startedMs < 60_000) await offerDue(100);
    expect(clock.nowMs() - startedMs).toBeLessThan(10_000);

    while (clock.nowMs() - startedMs < 300_000) await offerDue(1000);
    const { pending, dead, ended } = await subject.rows();
    expect(pending).toEqual([]);
    expect(dead).toEqual(numbered(0, 10).map((jobId) => ({ jobId, cause: 'status 500' })));
    expect(ended.filter(({ outcome }) => outcome === 'called').map(({ jobId }) => jobId)).toEqual(numbered(10, 30));
    await stop(dispatcher);
  });

  it('puts a path aside by itself where its client names it, also when it takes the name back meanwhile', async () => {
    let isUp = false;
    const { clock, subject, tables, clients, calls, dispatcherOf, offer, offerDue, stop } = setUp(({ path }) =>
      status(path.startsWith('/v1/pay') && !isUp ? 503 : 200),
    );
    const sideline = { afterFailures: 5, failureRate: 0.5, probeEveryMs: 1000, pathPrefixes: ['/v1/pay'] };
    clients.set(clientIdOf(1), { sideline, retries: { strategy: 'fixed', attempts: 50, delayMs: 1000 } });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer(...numbered(0, 10).map((jobId) => ({ jobId, url: `https://api.example/v1/pay/${jobId}` })));
    await passTime(clock, 100);
    await offer(...numbered(10, 30).map((jobId) => ({ jobId, url: 'https://api.example/v1/orders' })));
    await passTime(clock, 200);
    expect(calls.filter(({ path }) => path === '/v1/orders')).toHaveLength(20);
    expect([...tables.circuits.values()]).toMatchObject([{ host: 'api.example/v1/pay', state: 'open' }]);

    clients.set(clientIdOf(1), { retries: { strategy: 'fixed', attempts: 50, delayMs: 1000 } });
    isUp = true;
    for (let seconds = 0; seconds < 60; seconds++) await offerDue(1000);
    expect(await subject.rows()).toMatchObject({ pending: [], dead: [] });
    expect(tables.circuits.size).toBe(0);
    await stop(dispatcher);
  });

  it('410 puts all jobs of the host aside where the client wants that, and nobody tries it', async () => {
    const { clock, subject, tables, clients, calls, dispatcherOf, offer, stop } = setUp(() => status(410));
    clients.set(clientIdOf(1), { onGone: 'sideline' });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    await offer({ jobId: jobIdOf(2) });
    await passTime(clock, 600_000);
    expect(calls).toHaveLength(1);
    expect((await subject.rows()).pending.map((job) => job.sideline)).toEqual(['receiver.example', 'receiver.example']);
    expect([...tables.circuits.values()]).toMatchObject([{ state: 'disabled', cause: 'status 410' }]);
    await stop(dispatcher);
  });

  it('calls nothing for a client that is disabled, and all of it once it is enabled again', async () => {
    const { clock, subject, clients, calls, dispatcherOf, offer, stop } = setUp();
    clients.set(clientIdOf(1), { enabled: false });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 5000);
    expect(calls).toEqual([]);
    expect((await subject.rows()).pending).toMatchObject([{ sideline: '*' }]);
    clients.delete(clientIdOf(1));
    await passTime(clock, 5000);
    expect((await subject.rows()).pending).toMatchObject([{ sideline: null }]);
    await stop(dispatcher);
  });

  it('gives back jobs of a client that it does not know yet, and gives them up when it is gone for good', async () => {
    const { clock, subject, dispatcherOf, offer, stop } = setUp();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(2), clientId: clientIdOf(404) });
    await passTime(clock, 100);
    expect(await subject.rows()).toMatchObject({ pending: [{ jobId: jobIdOf(2), attempt: 1 }], fires: [], dead: [] });

    await offer({ jobId: jobIdOf(1), clientId: clientIdOf(404), dueInMs: -61_000 });
    await passTime(clock, 100);
    expect((await subject.rows()).dead).toEqual([{ jobId: jobIdOf(1), cause: 'its client is gone' }]);
    await stop(dispatcher);
  });

  it('gives up a job whose URL cannot be read', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = setUp();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), url: 'no url' });
    await passTime(clock, 100);
    expect(calls).toEqual([]);
    expect((await subject.rows()).dead).toEqual([{ jobId: jobIdOf(1), cause: 'its URL cannot be read' }]);
    await stop(dispatcher);
  });

  it('begins no call that may outlive its claim: the job is due again at once', async () => {
    const { clock, subject, clients, calls, dispatcherOf, offer, stop } = setUp();
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: leaseMs, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect(calls).toEqual([]);
    expect(await subject.rows()).toMatchObject({ fires: [], pending: [{ attempt: 1, sideline: null }] });
    await stop(dispatcher);
  });

  it('leaves nothing behind when it stops: what it called is written, what it claimed is due again', async () => {
    const gates: (() => void)[] = [];
    const { clock, subject, calls, dispatcherOf, offer, stop } = setUp(
      () => new Promise((resolve) => gates.push(() => resolve(ok))),
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer(...Array.from({ length: 40 }, (_, index) => ({ jobId: jobIdOf(index) })));
    await passTime(clock, 50);
    expect(calls).toHaveLength(10);
    const stopping = stop(dispatcher);
    gates.forEach((open) => open());
    await stopping;
    const rows = await subject.rows();
    expect(rows).toMatchObject({ fires: [] });
    expect([rows.ended.length, rows.pending.length]).toEqual([10, 30]);
    expect(calls).toHaveLength(10);
  });

  it('sets messages aside that it cannot read, and goes on', async () => {
    const { clock, subject, bus, letters, dispatcherOf, offer, stop } = setUp();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    for (const value of ['{', '{"jobs":[]}', '{"clients":["x"],"jobs":[[1,2,"y",0]]}']) {
      await bus.publisher().publish([{ topic, value }]);
    }
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect(letters).toHaveLength(3);
    expect((await subject.rows()).ended).toMatchObject([{ jobId: jobIdOf(1) }]);
    await stop(dispatcher);
  });
});
