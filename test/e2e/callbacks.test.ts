import { createServer, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addClientEndpointKey, createClient, createJob, createJobs } from '../../sdk/generated/sdk.gen.ts';
import { z } from 'zod';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { bandOf } from '../../shared/domain/job/priority-bands.ts';
import { webhookKeyOf, webhookProblem } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { createReceiver } from '../../sdk/example-receiver.ts';
import { createReminders } from '../../sdk/example-service.ts';
import { createMuster } from '../../sdk/muster.ts';
import { invitationIn, report, type ReportInvitation } from '../../sdk/report.ts';
import { startInstallation, type Installation } from './installation.ts';

const jobs = 2000;
const deadlineMs = 60_000;

interface Received {
  id: string;
  path: string;
  problem: string | null;
  atMs: number;
}

/** A client's service: fails some of its calls the first time, and checks every signature. */
function startReceiver(secretOf: () => string) {
  const received: Received[] = [];
  const failedOnce = new Set<string>();
  const server = createServer((request, response) => {
    void receive(request).then((call) => {
      received.push(call);
      const fails = call.path.includes('flaky') && !failedOnce.has(call.id);
      if (fails) failedOnce.add(call.id);
      response.writeHead(call.path.includes('never') || fails ? 503 : 200).end('{"ok":true}');
    });
  });

  async function receive(request: IncomingMessage): Promise<Received> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(z.instanceof(Uint8Array).parse(chunk)));
    const text = (name: string) => z.string().optional().parse(request.headers[name]);
    const id = text('webhook-id') ?? '';
    const key = webhookKeyOf(secretOf());
    const call = {
      id,
      timestamp: text('webhook-timestamp'),
      signature: text('webhook-signature'),
      body: Buffer.concat(chunks),
    };
    const problem = key ? webhookProblem(key, call, Date.now() / 1000) : 'no key';
    return { id, path: request.url ?? '', problem, atMs: Date.now() };
  }
  return { server, received };
}

describe('callbacks over Kafka', () => {
  let muster: Installation;
  let receiver: ReturnType<typeof startReceiver>;
  let secret = '';
  let port = 0;

  const api = () => ({ client: muster.api.client });

  beforeAll(async () => {
    receiver = startReceiver(() => secret);
    port = await listen(receiver.server);
    muster = await startInstallation({ workers: 'all-in-one', sandbox: {} });
    const body = {
      name: 'orders',
      endpoint: {
        egress: { allow: [{ cidr: '127.0.0.0/8', port }] },
        retry: { strategy: 'fixed' as const, attempts: 2, delayMs: 200 },
        sideline: { afterFailures: 1000 },
      },
    };
    const { id } = (await createClient({ ...api(), body })).data;
    const path = { id, endpoint: 'default' };
    secret = (await addClientEndpointKey({ ...api(), path, body: {} })).data.secret ?? '';
  });
  afterAll(async () => {
    await muster.stop();
    receiver.server.close();
  });

  it(`call all of ${jobs} jobs signed, none before its time, and record each once`, async () => {
    const dueAt = new Date(Date.now() + 2000);
    const kindOf = (index: number) => (index % 100 === 0 ? 'never' : index % 10 === 0 ? 'flaky' : 'well');
    const body = {
      client: 'orders',
      jobs: Array.from({ length: jobs }, (_, index) => ({
        url: `http://127.0.0.1:${port}/${kindOf(index)}/${index}`,
        dueAt: dueAt.toISOString(),
        body: { order: index, note: 'grüße' },
        idempotencyKey: `order-${index}`,
      })),
    };
    expect((await createJobs({ ...api(), body })).data).toMatchObject({ accepted: jobs, refused: 0 });

    await untilEnded(jobs);
    const { received } = receiver;
    expect(received.filter(({ problem }) => problem !== null)).toEqual([]);
    expect(received.filter(({ atMs }) => atMs < dueAt.getTime())).toEqual([]);
    expect(new Set(received.map(({ id }) => id)).size).toBe(jobs);
    const calls = Map.groupBy(received, ({ path }) => path.split('/')[1]);
    expect(calls.get('well')).toHaveLength(jobs * 0.9);
    expect(calls.get('flaky')).toHaveLength(jobs * 0.09 * 2);
    expect(calls.get('never')).toHaveLength(jobs * 0.01 * 2);
    expect(await ledger()).toEqual({
      accepted: jobs,
      called: jobs * 0.99,
      expired: 0,
      dead: jobs * 0.01,
      ended: jobs,
      pending: 0,
    });
  });

  it('are refused for forbidden hosts, without storing a job or sending a request', async () => {
    await createClient({ ...api(), body: { name: 'public-only' } });
    for (const host of ['127.0.0.1', 'localhost']) {
      const url = `http://${host}:${port}/forbidden`;
      await expect(createJob({ ...api(), body: { client: 'public-only', url } })).rejects.toMatchObject({
        problem: { status: 422, errors: [{ code: 'forbidden-address', pointer: '/url' }] },
      });
    }
    expect(await ledger()).toMatchObject({ accepted: jobs, pending: 0 });
    expect(receiver.received.filter(({ path }) => path === '/forbidden')).toEqual([]);
  });

  it('end after a 202 as their receiver reports later, or are called again without a report', async () => {
    const { MUSTER_API_URL: url = '', MUSTER_API_KEY: apiKey = '' } = muster.cliEnvironment;
    const invitations: ReportInvitation[] = [];
    const pressed = createServer((request, response) => {
      const invitation = invitationIn(request.headers, url);
      if (invitation) invitations.push(invitation);
      request.resume().on('end', () => response.writeHead(202).end());
    });
    try {
      const egress = { allow: [{ cidr: '127.0.0.0/8' }] };
      const retry = { strategy: 'fixed' as const, attempts: 3, delayMs: 200 };
      // No report arrives for the first call, so its time ends; the reports of the other two arrive in time, on a slow
      // machine too.
      const reportWithinSeconds = 10;
      await createClient({ ...api(), body: { name: 'printer', endpoint: { egress, retry, reportWithinSeconds } } });
      const library = createMuster({ url, apiKey });
      const to = `http://127.0.0.1:${await listen(pressed)}/print`;
      const { id } = await library.schedule({ client: 'printer', url: to });
      const untilCalled = async (times: number) => {
        const deadline = performance.now() + deadlineMs;
        while (invitations.length < times) {
          if (performance.now() > deadline) throw new Error(`called ${invitations.length} times, not ${times}`);
          await wait(50);
        }
        return invitations[times - 1] ?? expect.fail('it was not invited');
      };
      const first = await untilCalled(1);
      // The receiver sends no report about the first call, and reports the second call as failed.
      const second = await untilCalled(2);
      await expect(report(first, { outcome: 'done' })).rejects.toMatchObject({ code: 'report-too-late' });
      expect(await report(second, { outcome: 'failed', reason: 'no-paper' })).toBe('failed');
      const third = await untilCalled(3);
      expect(await report(third, { outcome: 'done' })).toBe('called');
      const job = await library.job(id);
      expect(job).toMatchObject({ state: 'called', attempt: 3 });
      expect(job.attempts.map(({ attempt, status, error }) => [attempt, status ?? error])).toEqual([
        [1, 202],
        [1, 'no report in its time'],
        [2, 202],
        [2, 'reported as failed: no-paper'],
        [3, 202],
      ]);
    } finally {
      pressed.close();
    }
  });

  it('are scheduled, cancelled, verified and handled once by the examples of the SDK', async () => {
    const handled: string[] = [];
    const secrets: string[] = [];
    const shop = createReceiver({
      secrets,
      handle: (text) => {
        handled.push(text);
        if (handled.length === 1) throw new Error('its first try fails');
      },
    });
    try {
      const egress = { allow: [{ cidr: '127.0.0.0/8' }] };
      const retry = { strategy: 'fixed' as const, attempts: 20, delayMs: 200 };
      await createClient({ ...api(), body: { name: 'shop', endpoint: { egress, retry } } });
      const { MUSTER_API_URL: url = '', MUSTER_API_KEY: apiKey = '' } = muster.cliEnvironment;
      const library = createMuster({ url, apiKey });
      const reminders = createReminders({ muster: library, client: 'shop' });
      secrets.push(await reminders.open(`http://127.0.0.1:${await listen(shop)}/reminders`));

      const id = await reminders.remind('cart-1', 1);
      expect(await reminders.remind('cart-1', 1)).toBe(id);
      await reminders.remind('cart-2', 600);
      expect(await reminders.forget(['cart-2'])).toEqual([]);
      const deadline = performance.now() + deadlineMs;
      for (let job = await library.job(id); job.state !== 'called'; job = await library.job(id)) {
        if (performance.now() > deadline) throw new Error(`it is ${job.state} after ${job.attempts.length} calls`);
        await wait(100);
      }
      expect(handled).toEqual(['{"cart":"cart-1"}', '{"cart":"cart-1"}']);
      expect(await reminders.forget(['cart-1', 'cart-2'])).toEqual(['cart-1']);
      await expect(library.schedule({ client: 'shop', endpoint: 'other' })).rejects.toThrow(
        /\/endpoint the client "shop" has no endpoint "other"/,
      );
    } finally {
      shop.close();
      shop.closeAllConnections();
    }
  });

  it('are called by priority while they wait for the only slot of their client', async () => {
    const called: string[] = [];
    const released = Promise.withResolvers<undefined>();
    const desk = createServer((request, response) => {
      called.push(request.url ?? '');
      request.resume().on('end', () => void released.promise.then(() => response.end('ok')));
    });
    try {
      const base = `http://127.0.0.1:${await listen(desk)}`;
      const egress = { allow: [{ cidr: '127.0.0.0/8' }] };
      const limits = { concurrency: 1, timeoutMs: 60_000, sideline: { afterFailures: 1000 } };
      const { id } = (await createClient({ ...api(), body: { name: 'desk', endpoint: { egress, ...limits } } })).data;
      const send = async (count: number, priority: 'normal' | 'high') => {
        const wanted = Array.from({ length: count }, (_, nth) => ({ url: `${base}/${priority}/${nth}`, priority }));
        expect((await createJobs({ ...api(), body: { client: 'desk', jobs: wanted } })).data.accepted).toBe(count);
      };
      const until = async (isSo: () => boolean | Promise<boolean>, what: string) => {
        const deadline = performance.now() + deadlineMs;
        while (!(await isSo())) {
          if (performance.now() > deadline) throw new Error(`${what} within ${deadlineMs} ms; ${called.length} called`);
          await wait(50);
        }
      };
      await send(500, 'normal');
      await until(() => called.length > 0, 'no call');
      await send(20, 'high');
      const taken = `select exists (select from job_nodes where client_credit -> $1 is not null) as "isTaken"`;
      const band = bandOf(uuidOf('client', id) ?? '', 'high');
      await until(async () => (await witness<{ isTaken: boolean }>(taken, [band])).isTaken, 'no dispatcher had them');
      released.resolve(undefined);
      await until(() => called.length === 520, 'not all were called');

      // The jobs with high priority were created last and had the latest due times.
      const high = called.flatMap((path, place) => (path.startsWith('/high/') ? place : []));
      expect(high).toHaveLength(20);
      const [first = 0, last = 0] = [high.at(0), high.at(-1)];
      expect(last).toBeLessThan(260);
      // At most four jobs with high priority are called for each other job.
      expect(last - first + 1 - 20).toBeGreaterThanOrEqual(3);
    } finally {
      released.resolve(undefined);
      desk.close();
      desk.closeAllConnections();
    }
  });

  interface Sums {
    accepted: number;
    called: number;
    expired: number;
    dead: number;
    ended: number;
    pending: number;
  }

  const ledger = () =>
    witness<Sums>(`
      select sum(accepted)::int as accepted, sum(called)::int as called, sum(expired)::int as expired,
        sum(dead)::int as dead,
        (select count(*)::int from ended_jobs) as ended, (select count(*)::int from jobs) as pending
      from client_totals`);

  /** Queries the database itself, as a check of what Muster reports. */
  async function witness<Row extends object>(text: string, values: readonly string[] = []): Promise<Row> {
    const { createPool } = await import('../../shared/postgres/connection/pool.ts');
    const { pino } = await import('pino');
    const logger = pino({ level: 'silent' });
    const pool = createPool({ connectionString: muster.database.url, applicationName: 'witness', max: 1, logger });
    try {
      const { rows } = await pool.query<Row>(text, [...values]);
      const [row] = rows;
      if (!row) throw new Error('nothing was found');
      return row;
    } finally {
      await pool.end();
    }
  }

  async function untilEnded(count: number): Promise<void> {
    const deadline = performance.now() + deadlineMs;
    for (let sums = await ledger(); sums.ended < count; sums = await ledger()) {
      if (performance.now() > deadline) throw new Error(`not all jobs have ended: ${JSON.stringify(sums)}`);
      await wait(100);
    }
  }
});

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return z.object({ port: z.number() }).parse(server.address()).port;
}
