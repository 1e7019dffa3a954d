import { publicId } from '../../shared/domain/ids/ids.ts';
import { describe, expect, it } from 'vitest';
import { createHeartbeat } from './heartbeat.ts';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { createMemoryCallLedger } from '../../test/support/memory/call-ledger.ts';
import { createMemoryDatabase } from '../../test/support/memory/memory-database.ts';
import { createMemoryLeases } from '../../test/support/memory/leases.ts';
import type { CallWork } from './ports/call-ledger.ts';
import { dispatcherSubject, leaseMs, numbered, ok, status, topic } from '../../test/support/dispatcher-subject.ts';
import { createReportInviter } from './call/report-inviter.ts';
import { createSecretBox } from '../../shared/runtime/configuration/secret-box.ts';
import { openReportToken } from '../../shared/runtime/installation/report-tokens.ts';
import { passTime } from '../../test/support/pass-time.ts';

/** The secret box of the dispatcher in these tests. */
const secretBox = createSecretBox([Buffer.alloc(32, 7)]);

describe('the dispatcher', () => {
  it('calls an offered job once and records the outcome', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject();
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

  it('calls its claimed jobs when Postgres answers again after four seconds', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    let thawedAtMs = -Infinity;
    const frozen = () => clock.sleep(Math.max(0, thawedAtMs - clock.monotonicMs()));
    const dispatcher = dispatcherOf('a', clock, {
      ledger: { flush: (work) => real.flush(work).then((flushed) => frozen().then(() => flushed)) },
      nodes: { dispatchers: () => frozen().then(() => ['a']) },
    });
    const starting = dispatcher.start();
    await passTime(clock, 2000);
    await starting;
    thawedAtMs = clock.monotonicMs() + 4000;
    await offer(...numbered(1, 31).map((jobId) => ({ jobId })));
    await passTime(clock, 6000);
    expect(calls).toHaveLength(30);
    expect(dispatcher.levels()).toEqual({ queued: 0, waiting: 0, inFlight: 0 });
    await stop(dispatcher);
  });

  it('makes calls in turns with a single slot although each flush takes longer than acquiring the slot', async () => {
    const { clock, tables, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject();
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    const dispatcher = dispatcherOf('a', clock, {
      ledger: { flush: (work) => real.flush(work).then((flushed) => clock.sleep(250).then(() => flushed)) },
      nodes: { dispatchers: () => Promise.resolve(['a', 'b']) },
    });
    void dispatcher.start();
    await passTime(clock, 8000);
    for (const jobId of numbered(1, 11)) {
      await offer({ jobId });
      await passTime(clock, 300);
    }
    await passTime(clock, 6000);
    expect(calls).toHaveLength(10);
    await stop(dispatcher);
  });

  it('releases its claimed jobs if another dispatcher takes its slot, and calls them when it has the slot again', async () => {
    const { clock, tables, subject, calls, clients, dispatcherOf, offer, offerDue, stop } = dispatcherSubject();
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const leases = createMemoryLeases({ database: createMemoryDatabase(clock) });
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    const owners = ['a'];
    const dispatcher = dispatcherOf('a', clock, {
      leases,
      // While the claim is being written, another dispatcher joins and takes the only slot.
      ledger: {
        flush: async (work) => {
          const flushed = await real.flush(work);
          if (work.claims.length === 0 || owners.length > 1) return flushed;
          owners.push('b');
          await leases.acquire(`call-slot/${clientIdOf(1)}/0`, 'b', 5000);
          await clock.sleep(1000);
          return flushed;
        },
      },
      nodes: { dispatchers: () => Promise.resolve(owners) },
    });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 2000);
    expect(dispatcher.levels()).toEqual({ queued: 0, waiting: 1, inFlight: 0 });
    await passTime(clock, 1500);
    expect(dispatcher.levels()).toEqual({ queued: 0, waiting: 0, inFlight: 0 });
    expect(await subject.rows()).toMatchObject({ fires: [], pending: [{ attempt: 1 }] });
    await passTime(clock, 3000);
    await offerDue(2000);
    expect(calls).toHaveLength(1);
    await stop(dispatcher);
  });

  it('reports calls in flight, slots and calls of the last minute for each client', async () => {
    const { clock, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject(() =>
      clock.sleep(400).then(() => status(500)),
    );
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 2, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    expect(dispatcher.calls()).toEqual({});
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 300);
    expect(calls).toHaveLength(1);
    expect(dispatcher.calls()).toEqual({ [clientIdOf(1)]: { underWay: 1, slots: 2, lastMinute: 0 } });
    await passTime(clock, 300);
    expect(dispatcher.calls()).toEqual({ [clientIdOf(1)]: { underWay: 0, slots: 2, lastMinute: 1 } });
    await passTime(clock, 63_000);
    expect(dispatcher.calls()).toEqual({});
    await stop(dispatcher);
  });

  it('sends the same webhook-id with every attempt', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject(() => status(500));
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

  it('claims and calls nothing without a current heartbeat, and continues with the next one', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const heartbeat = createHeartbeat();
    const dispatcher = dispatcherOf('a', clock, { heartbeat });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 1000);
    expect(calls).toEqual([]);
    expect((await subject.rows()).fires).toEqual([]);
    heartbeat.beaten(clock.monotonicMs());
    await passTime(clock, 1000);
    expect(calls).toHaveLength(1);
    await stop(dispatcher);
  });

  it('releases claims that it has not called if its last heartbeat is too old', async () => {
    const { clock, subject, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject(() =>
      clock.sleep(900).then(() => ok),
    );
    const heartbeat = createHeartbeat();
    heartbeat.beaten(clock.monotonicMs());
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 1000, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const dispatcher = dispatcherOf('a', clock, { heartbeat });
    await dispatcher.start();
    await passTime(clock, 8500);
    await offer({ jobId: jobIdOf(1) }, { jobId: jobIdOf(65) });
    await passTime(clock, 400);
    expect(calls).toHaveLength(1);
    await passTime(clock, 2000);
    expect(calls).toHaveLength(1);
    expect(await subject.rows()).toMatchObject({ fires: [], pending: [{ attempt: 1 }], ended: [{ status: 200 }] });
    await stop(dispatcher);
  });

  it('uses no slot while it waits for the report after a 202, and calls again if no report comes', async () => {
    const { clock, tables, subject, calls, clients, dispatcherOf, offer, offerDue, stop } = dispatcherSubject(() =>
      status(202),
    );
    clients.set(clientIdOf(1), { reportWithinMs: 5000, retries: { strategy: 'fixed', attempts: 2, delayMs: 1000 } });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    const headerOf = (call: number, name: string) => {
      const { headers = [] } = calls[call] ?? {};
      return headers[headers.indexOf(name) + 1];
    };
    expect(headerOf(0, 'muster-report')).toBe(`/v1/jobs/${publicId('job', jobIdOf(1))}/report`);
    expect(headerOf(0, 'muster-report-within')).toBe('5');
    expect(openReportToken(secretBox, jobIdOf(1), headerOf(0, 'muster-report-token') ?? '')).toBe(1);
    expect(openReportToken(secretBox, jobIdOf(2), headerOf(0, 'muster-report-token') ?? '')).toBeUndefined();
    expect(dispatcher.levels()).toEqual({ queued: 0, waiting: 0, inFlight: 0 });
    expect(await subject.rows()).toMatchObject({ fires: [], attempts: [{ attempt: 1, status: 202 }] });

    await passTime(clock, 5000);
    await offerDue(100);
    expect(calls).toHaveLength(1);
    await passTime(clock, 1000);
    await offerDue(100);
    expect(openReportToken(secretBox, jobIdOf(1), headerOf(1, 'muster-report-token') ?? '')).toBe(2);
    await passTime(clock, 5000);
    await offerDue(100);
    expect(tables.ended).toMatchObject([{ outcome: 'dead', error: 'no report in its time', attempt: 2 }]);
    await stop(dispatcher);
  });

  it('adds report headers to a call without changing the rest of it', async () => {
    const { clock, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject(() => status(202));
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    const call = { url: 'https://one.example/a?b=c', body: '{"x":1}' };
    await offer({ jobId: jobIdOf(1), ...call });
    await passTime(clock, 100);
    clients.set(clientIdOf(1), { reportWithinMs: 5000 });
    await offer({ jobId: jobIdOf(2), ...call });
    await passTime(clock, 100);
    const [uninvited, invited] = calls.map(({ method, origin, path, body, headers }) => {
      const names = headers.filter((_, index) => index % 2 === 0);
      return { method, origin, path, body, names: names.filter((name) => !name.startsWith('muster-report')) };
    });
    expect(invited).toEqual(uninvited);
    await stop(dispatcher);
  });

  it('calls no receiver that reports later while no report token can be created, and tries again', async () => {
    const { clock, subject, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject(() => status(202));
    clients.set(clientIdOf(1), { reportWithinMs: 5000 });
    const inviter = createReportInviter({ secretBox: createSecretBox([]), publicAddress: undefined });
    const dispatcher = dispatcherOf('a', clock, { inviter });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect(calls).toEqual([]);
    expect(await subject.rows()).toMatchObject({ fires: [], ended: [], pending: [{ jobId: jobIdOf(1) }] });
    await stop(dispatcher);
  });

  it('sends no report headers if no report is expected, and counts a 202 as a success', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject(() => status(202));
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect(calls[0]?.headers.filter((name) => name.startsWith('muster-report'))).toEqual([]);
    expect(await subject.rows()).toMatchObject({ pending: [], ended: [{ outcome: 'called', status: 202 }] });
    await stop(dispatcher);
  });

  it('calls a job by its own terms, with a time-out that fits into the lease', async () => {
    const { tables, subject, calls, dispatcherOf, offerDue, stop } = dispatcherSubject(() => status(404));
    const terms = [{ retry: { strategy: 'none' } }, { finalCodes: [404], timeoutMs: 300 }, { timeoutMs: 60_000 }, {}];
    await subject.add(terms.map((_, n) => ({ jobId: jobIdOf(n), clientId: clientIdOf(1), dueInMs: 0 })));
    for (const [n, own] of terms.entries()) {
      const job = tables.jobs.get(jobIdOf(n)) ?? expect.fail('it was not added');
      tables.jobs.set(jobIdOf(n), { ...job, terms: JSON.stringify(own) });
    }
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offerDue(100);
    expect(calls.map(({ timeoutMs }) => timeoutMs)).toEqual([1000, 300, leaseMs - 4000, 1000]);
    const { dead, pending } = await subject.rows();
    expect([dead.map(({ jobId }) => jobId), pending.map(({ jobId }) => jobId)]).toEqual([
      [jobIdOf(0), jobIdOf(1)],
      [jobIdOf(2), jobIdOf(3)],
    ]);
    await stop(dispatcher);
  });

  it('fills in a template at each attempt, and signs the resulting body', async () => {
    const { clock, tables, subject, calls, clients, dispatcherOf, offerDue, stop } = dispatcherSubject(() =>
      status(500),
    );
    const signed: string[] = [];
    const sign = (_id: string, _at: number, body: Buffer) => [`v1,${signed.push(body.toString())}`];
    clients.set(clientIdOf(1), { sign });
    await subject.add([{ jobId: jobIdOf(1), clientId: clientIdOf(1), dueInMs: 0 }]);
    const job = tables.jobs.get(jobIdOf(1)) ?? expect.fail('it was not added');
    const headers = JSON.stringify({ 'content-type': 'application/json', 'x-call': '{{key}}#{{attempt}}' });
    const body = '{"id":"{{jobId}}","n":{{attempt}},"at":"{{scheduledFor}}","key":"{{key}}"}';
    const terms = JSON.stringify({ template: { form: 'json', values: { key: 'a"b' } } });
    tables.jobs.set(jobIdOf(1), { ...job, headers, body, terms });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offerDue(100);
    await passTime(clock, 2000);
    await offerDue(100);
    const at = new Date(job.scheduledForMs).toISOString();
    const sent = calls.map((call) => call.body?.toString());
    expect(sent).toEqual(
      [1, 2].map((n) => `{"id":"${publicId('job', jobIdOf(1))}","n":${n},"at":"${at}","key":"a\\"b"}`),
    );
    expect(calls.map((call) => call.headers[call.headers.indexOf('x-call') + 1])).toEqual(['a"b#1', 'a"b#2']);
    expect(signed).toEqual(sent);
    await stop(dispatcher);
  });

  it('sends braces unchanged if the job is not a template', async () => {
    const { calls, dispatcherOf, offer, clock, stop } = dispatcherSubject();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), body: '{"mail":"Hello {{jobId}}"}' });
    await passTime(clock, 100);
    expect(calls.map((call) => call.body?.toString())).toEqual(['{"mail":"Hello {{jobId}}"}']);
    await stop(dispatcher);
  });

  it('names the repeated job in the muster-repeats header', async () => {
    const { tables, subject, calls, dispatcherOf, offerDue, stop } = dispatcherSubject();
    await subject.add([1, 2].map((n) => ({ jobId: jobIdOf(n), clientId: clientIdOf(1), dueInMs: 0 })));
    const job = tables.jobs.get(jobIdOf(2)) ?? expect.fail('it was not added');
    tables.jobs.set(jobIdOf(2), { ...job, repeats: jobIdOf(7) });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offerDue(100);
    const repeated = calls.map(
      ({ headers }) => headers.indexOf('muster-repeats') + 1 && headers.at(headers.indexOf('muster-repeats') + 1),
    );
    expect(repeated.sort()).toEqual([0, publicId('job', jobIdOf(7))]);
    await stop(dispatcher);
  });

  it('counts a call of the previous owner in the muster-attempt header', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    tables.fires.set(jobIdOf(1), { jobId: jobIdOf(1), owner: 'before', epoch: 1, leaseUntilMs: clock.nowMs() - 1 });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    expect(calls.map(({ headers }) => headers[headers.indexOf('muster-attempt') + 1])).toEqual(['2']);
    await stop(dispatcher);
  });

  it('calls a job again at its next due time although the last flush failed after its commit', async () => {
    const { clock, tables, calls, dispatcherOf, offer, stop } = dispatcherSubject(() => status(500));
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

  it('signs with the time of the database, although its own clock is wrong', async () => {
    const { clock, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const dispatcher = dispatcherOf('a', { ...clock, now: () => new Date(clock.nowMs() + 3_600_000) });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, 100);
    const headers = calls[0]?.headers ?? [];
    const signedMs = Number(headers[headers.indexOf('webhook-timestamp') + 1]) * 1000;
    expect(Math.abs(signedMs - clock.nowMs())).toBeLessThanOrEqual(1000);
    await stop(dispatcher);
  });

  it('stops after all calls in flight have ended and their outcomes are recorded', async () => {
    const gates: (() => void)[] = [];
    const { clock, subject, calls, dispatcherOf, offer } = dispatcherSubject(
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

  it('does not call a job that expired before its claim or while it waited for a slot', async () => {
    const gates: (() => void)[] = [];
    const { clock, subject, calls, clients, dispatcherOf, offer, stop } = dispatcherSubject(
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

  it("retries by the client's terms, and gives up after the last attempt", async () => {
    const { clock, subject, dispatcherOf, offer, stop } = dispatcherSubject(() => status(500));
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

  it('limits the calls of each client, so that slow calls do not delay other clients', async () => {
    const slow = clientIdOf(1);
    let hangs = false;
    const { clock, subject, calls, dispatcherOf, offer } = dispatcherSubject((call) =>
      hangs && call.limits.clientId === slow ? new Promise(() => undefined) : ok,
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(200) });
    await passTime(clock, 100);
    hangs = true;
    await offer(...Array.from({ length: 45 }, (_, index) => ({ jobId: jobIdOf(index) })));
    await offer({ jobId: jobIdOf(100), clientId: clientIdOf(2) });
    await passTime(clock, 100);
    expect(calls.filter(({ limits }) => limits.clientId === slow)).toHaveLength(1 + 10);
    expect((await subject.rows()).ended.map(({ jobId }) => jobId)).toEqual([jobIdOf(100), jobIdOf(200)]);
    // The dispatcher claims only jobs for which it has a slot, and leaves the others to other dispatchers.
    expect((await subject.rows()).fires).toHaveLength(10);
  });

  it('makes no call for a disabled client, and calls its jobs once the client is enabled', async () => {
    const { clock, subject, clients, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    clients.set(clientIdOf(1), { pauseReason: 'the client is disabled' });
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

  it('releases jobs of an unknown client, and gives them up if the client does not appear', async () => {
    const { clock, subject, dispatcherOf, offer, stop } = dispatcherSubject();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(2), clientId: clientIdOf(404) });
    await passTime(clock, 100);
    expect(await subject.rows()).toMatchObject({ pending: [{ jobId: jobIdOf(2), attempt: 1 }], fires: [], dead: [] });

    await offer({ jobId: jobIdOf(1), clientId: clientIdOf(404), dueInMs: -61_000 });
    await passTime(clock, 100);
    expect((await subject.rows()).dead).toEqual([{ jobId: jobIdOf(1), cause: 'its client or endpoint is gone' }]);
    await stop(dispatcher);
  });

  it('gives up a job whose URL is invalid', async () => {
    const { clock, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1), url: 'no url' });
    await passTime(clock, 100);
    expect(calls).toEqual([]);
    expect((await subject.rows()).dead).toEqual([{ jobId: jobIdOf(1), cause: 'its URL cannot be read' }]);
    await stop(dispatcher);
  });

  it('makes no call that may last longer than its claim, and makes the job due again at once', async () => {
    const { clock, tables, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject();
    const real = createMemoryCallLedger({ tables, owner: 'a', leaseMs });
    const slow = async (work: CallWork) => {
      const flushed = await real.flush(work);
      if (work.claims.length > 0) await clock.sleep(leaseMs - 1500);
      return flushed;
    };
    const dispatcher = dispatcherOf('a', clock, { ledger: { flush: slow } });
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) });
    await passTime(clock, leaseMs);
    expect(calls).toEqual([]);
    expect(await subject.rows()).toMatchObject({ fires: [], pending: [{ attempt: 1, sideline: null }] });
    await stop(dispatcher);
  });

  it('extends the claim for a call that may take longer than the usual lease', async () => {
    const { clock, tables, clients, calls, dispatcherOf, offer, stop } = dispatcherSubject(() =>
      clock.sleep(1.5 * leaseMs).then(() => ok),
    );
    const limits = { clientId: clientIdOf(1), revision: 1, concurrency: 1, timeoutMs: 2 * leaseMs, egress: [] };
    clients.set(clientIdOf(1), { limits });
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(1) }, { jobId: jobIdOf(2), clientId: clientIdOf(2) });
    await passTime(clock, 100);
    expect(calls).toHaveLength(2);
    expect(tables.fires.get(jobIdOf(1))?.leaseUntilMs).toBeGreaterThan(clock.nowMs() + limits.timeoutMs);
    await passTime(clock, 2 * leaseMs);
    expect(calls).toHaveLength(2);
    expect(tables.ended.map(({ jobId }) => jobId).sort()).toEqual([jobIdOf(1), jobIdOf(2)]);
    await stop(dispatcher);
  });

  it('records its calls and releases its other claims when it stops', async () => {
    const gates: (() => void)[] = [];
    let isGated = false;
    const { clock, subject, calls, dispatcherOf, offer, stop } = dispatcherSubject(() =>
      isGated ? new Promise((resolve) => gates.push(() => resolve(ok))) : ok,
    );
    const dispatcher = dispatcherOf('a');
    await dispatcher.start();
    await offer({ jobId: jobIdOf(100) });
    await passTime(clock, 50);
    isGated = true;
    await offer(...Array.from({ length: 40 }, (_, index) => ({ jobId: jobIdOf(index) })));
    await passTime(clock, 50);
    expect(calls).toHaveLength(1 + 10);
    const stopping = stop(dispatcher);
    gates.forEach((open) => open());
    await stopping;
    const rows = await subject.rows();
    expect(rows).toMatchObject({ fires: [] });
    expect([rows.ended.length, rows.pending.length]).toEqual([1 + 10, 30]);
    expect(calls).toHaveLength(1 + 10);
  });

  it('quarantines unreadable messages and continues', async () => {
    const { clock, subject, bus, letters, dispatcherOf, offer, stop } = dispatcherSubject();
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
