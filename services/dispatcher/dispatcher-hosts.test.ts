import { describe, expect, it } from 'vitest';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject, leaseMs, numbered, ok, status } from '../../test/support/dispatcher-subject.ts';
import { createMemoryHostCircuits } from '../../test/support/memory/host-circuits.ts';
import { passTime } from '../../test/support/pass-time.ts';

/** Creates a dispatcher that counts its checks for sidelined hosts. */
async function watched() {
  const { tables, changes, dispatcherOf, ...subject } = dispatcherSubject();
  const circuits = createMemoryHostCircuits({ tables, owner: 'a' });
  let polls = 0;
  const read = () => {
    polls++;
    return circuits.read();
  };
  const dispatcher = dispatcherOf('a', subject.clock, { circuits: { ...circuits, read } });
  await dispatcher.start();
  const pollsWithin = async (ms: number) => {
    polls = 0;
    await passTime(subject.clock, ms);
    return polls;
  };
  return { ...subject, changes, circuits, dispatcher, pollsWithin };
}

describe('the check for sidelined hosts', () => {
  it('runs every five seconds while no host is sidelined, every second otherwise, and at once after a notification', async () => {
    const { changes, circuits, dispatcher, pollsWithin, stop } = await watched();
    expect(await pollsWithin(10_000)).toBe(10);
    changes.restore();
    await pollsWithin(1000);
    expect(await pollsWithin(10_000)).toBe(2);
    await circuits.open({ clientId: clientIdOf(1), host: 'down.example' }, 'refused', 60_000);
    changes.announce('hosts');
    expect(await pollsWithin(100)).toBe(1);
    expect(await pollsWithin(10_000)).toBe(10);
    await stop(dispatcher);
  });

  it('finds a sidelined host within five seconds although its notification was lost', async () => {
    const { changes, circuits, dispatcher, pollsWithin, stop } = await watched();
    changes.restore();
    await pollsWithin(1000);
    await circuits.open({ clientId: clientIdOf(1), host: 'down.example' }, 'refused', 60_000);
    await pollsWithin(5000);
    expect(await pollsWithin(10_000)).toBe(10);
    await stop(dispatcher);
  });
});

describe('a dispatcher with a failing host', () => {
  it('sidelines only the jobs of the failing host', async () => {
    const { clock, subject, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject((call) =>
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

  it('probes the host with one job at a time, at growing intervals, without counting an attempt', async () => {
    let isUp = false;
    const { clock, subject, tables, calls, dispatcherOf, stop } = dispatcherSubject(() =>
      isUp ? ok : { kind: 'unanswered', cause: 'connection refused' },
    );
    const sideline = 'receiver.example';
    const key = { clientId: clientIdOf(1), host: sideline };
    const numbers = Array.from({ length: 30 }, (_, index) => index);
    await subject.add(
      numbers.map((number) => ({ jobId: jobIdOf(number), clientId: clientIdOf(1), dueInMs: -1, sideline })),
    );
    await createMemoryHostCircuits({ tables, owner: 'x' }).open(key, 'down', 0);
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 300_000);
    // The dispatcher probes after 0, 1, 2, 4, 8 and 16 s, then every 30 s. Its checks are a second apart, so probes may
    // be late.
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

  it('probes the host with a job whose call may take longer than the usual lease', async () => {
    const { clock, tables, subject, clients, calls, dispatcherOf, stop } = dispatcherSubject();
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: leaseMs, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const sideline = 'receiver.example';
    await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -1, sideline }]);
    await createMemoryHostCircuits({ tables, owner: 'x' }).open({ clientId: clientIdOf(1), host: sideline }, 'down', 0);
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 900);
    expect(calls).toHaveLength(1);
    await stop(dispatcher);
  });

  it('counts a probe that gets an answer as an attempt, so the job ends as a dead letter', async () => {
    const { clock, subject, tables, calls, dispatcherOf, offerDue, stop } = dispatcherSubject(() => status(503));
    const sideline = 'receiver.example';
    await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: -1, sideline }]);
    const circuits = createMemoryHostCircuits({ tables, owner: 'x' });
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

  it('ends ten jobs whose calls always fail as dead letters, without delaying the other jobs of the host', async () => {
    const { clock, subject, calls, dispatcherOf, offer, offerDue, stop } = dispatcherSubject(({ path }) =>
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

  it('sidelines a failing path that no client has configured until the path recovers, while the host serves other paths', async () => {
    let isMended = false;
    const { clock, subject, tables, calls, clients, dispatcherOf, offer, offerDue, stop } = dispatcherSubject(
      ({ path }) => status(path.startsWith('/bad') && !isMended ? 500 : 200),
    );
    clients.set(clientIdOf(1), { retries: { strategy: 'fixed', attempts: 50, delayMs: 1000 } });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), url: 'https://one.example/good' });
    await passTime(clock, 100);
    await offer(...numbered(10, 30).map((jobId) => ({ jobId, url: `https://one.example/bad/${jobId}` })));
    await passTime(clock, 300);
    expect([...tables.circuits.values()]).toMatchObject([{ host: 'one.example/bad', state: 'open' }]);
    await offer(...numbered(40, 60).map((jobId) => ({ jobId, url: 'https://one.example/good' })));
    await passTime(clock, 200);
    expect(calls.filter(({ path }) => path === '/good')).toHaveLength(21);
    isMended = true;
    for (let seconds = 0; seconds < 60; seconds++) await offerDue(1000);
    expect(await subject.rows()).toMatchObject({ pending: [], dead: [] });
    expect(tables.circuits.size).toBe(0);
    await stop(dispatcher);
  });

  it('calls the first job of each path of a sidelined host without counting an attempt', async () => {
    const { clock, subject, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject(() => {
      return { kind: 'unanswered', cause: 'connection refused' };
    });
    const key = { clientId: clientIdOf(1), host: 'one.example' };
    await createMemoryHostCircuits({ tables, owner: 'x' }).open(key, 'down', 60_000);
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 100);
    for (const path of ['a', 'b']) {
      await offer(
        ...[1, 2, 3].map((nth) => ({
          jobId: jobIdOf(path.charCodeAt(0) * 64 + nth),
          url: `https://one.example/${path}`,
        })),
      );
      await passTime(clock, 200);
    }
    expect(calls.map(({ path }) => path)).toEqual(['/a', '/b']);
    const { pending } = await subject.rows();
    expect(pending.map(({ attempt }) => attempt)).toEqual([1, 1, 1, 1, 1, 1]);
    expect(pending.filter(({ sideline }) => sideline === 'one.example')).toHaveLength(2);
    await stop(dispatcher);
  });

  it('releases a sidelined job at once if its host has recovered in the meantime', async () => {
    const { clock, tables, subject, dispatcherOf, offer, stop } = dispatcherSubject();
    const circuits = createMemoryHostCircuits({ tables, owner: 'x' });
    const key = { clientId: clientIdOf(1), host: 'one.example' };
    await circuits.open(key, 'down', 60_000);
    await circuits.disable(key, 'gone');
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await passTime(clock, 500);
    // Another dispatcher has found the host recovered, and released its sidelined jobs.
    tables.circuits.clear();
    await offer({ jobId: jobIdOf(1), url: 'https://one.example/a' });
    await passTime(clock, 3000);
    expect((await subject.rows()).pending.map(({ sideline }) => sideline)).toEqual([null]);
    await stop(dispatcher);
  });

  it('sidelines a configured path separately, even if the client removes the path later', async () => {
    let isUp = false;
    const { clock, subject, tables, clients, calls, dispatcherOf, offer, offerDue, stop } = dispatcherSubject(
      ({ path }) => status(path.startsWith('/v1/pay') && !isUp ? 503 : 200),
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

  it('sidelines all jobs of the host after a 410 if the client has configured that, and does not probe the host', async () => {
    const { clock, subject, tables, clients, calls, dispatcherOf, offer, stop } = dispatcherSubject(() => status(410));
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
});
