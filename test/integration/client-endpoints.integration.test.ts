import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { addedClientKey, endpointShape } from '../../shared/contracts/jobs/client-endpoints.ts';
import { clientShape } from '../../shared/contracts/jobs/clients.ts';
import { jobShape } from '../../shared/contracts/jobs/job-shapes.ts';
import { acceptedJob } from '../../shared/contracts/jobs/jobs.ts';
import { scheduleShape } from '../../shared/contracts/schedules/schedules.ts';
import { uuidOf } from '../../shared/domain/ids/ids.ts';
import { endpointIdOf, jobPartitionOf } from '../../shared/domain/job/job-ids.ts';
import { createClientSource } from '../../shared/postgres/registry/clients.ts';
import { callEndpointsOf } from '../../shared/runtime/installation/call-endpoints.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createJobChanger } from '../../services/api/jobs/change-jobs.ts';
import { createCallLedger } from '../../services/dispatcher/postgres/call-ledger.ts';
import { createHostCircuits } from '../../services/dispatcher/postgres/host-circuits.ts';
import type { ClaimedJob, JobVerdict } from '../../services/dispatcher/ports/call-ledger.ts';
import { createDueReferences } from '../../services/scheduler/postgres/due-references.ts';
import { firstMark } from '../../services/scheduler/ports/due-references.ts';
import { problem } from '../../services/api/frame/problems.contract.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { authorized } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';

const on = apiOnPostgres();
const { ask } = on;
const base = '/v1/clients/orders/endpoints';
const url = 'https://billing.test/hooks';

let clientId: string;
let billing: string;
beforeEach(async () => {
  clientId =
    uuidOf('client', clientShape.parse((await ask('POST', '/v1/clients', { name: 'orders' })).json()).id) ?? '';
  billing = endpointIdOf(clientId, 'billing');
});

const make = async (fields: object = {}) => await ask('POST', base, { name: 'billing', url, ...fields });
const endpoint = async (name = 'billing') => endpointShape.parse((await ask('GET', `${base}/${name}`)).json());
const codeOf = async (asking: ReturnType<typeof ask>) => problem.parse((await asking).json()).code;

async function schedule(fields: object = {}): Promise<string> {
  const answer = await ask('POST', '/v1/jobs', { client: 'orders', ...fields });
  expect(answer.statusCode, answer.body).toBe(201);
  return acceptedJob.parse(answer.json()).id;
}
const displayed = async (id: string) => jobShape.parse((await ask('GET', `/v1/jobs/${id}`)).json());
const uuid = (id: string) => uuidOf('job', id) ?? expect.fail(`${id} is no id of a job`);

const circuits = () => createHostCircuits({ pool: on.pool, owner: 'a dispatcher', slot: 1 });
const ledger = () => {
  const region = () => ({ name: 'local', epoch: 1 });
  return createCallLedger({ pool: on.pool, owner: 'a dispatcher', slot: 1, leaseMs: 60_000, region });
};

async function claim(id: string): Promise<ClaimedJob> {
  const jobId = uuid(id);
  const { rows } = await on.pool.query<{ us: number }>(
    'select extract(epoch from due_at)::float8 * 1000000 as us from jobs where id = $1',
    [jobId],
  );
  const claims = [{ partition: jobPartitionOf(jobId), dueUs: Math.round(rows[0]?.us ?? 0), jobId }];
  const [claimed] = (await ledger().flush({ results: [], claims })).claimed;
  return claimed ?? expect.fail('it was not claimed');
}

/** Ends a job like the dispatcher that calls it. */
async function end(id: string, verdict: JobVerdict = { kind: 'called' }): Promise<void> {
  const note = { status: 200, latencyMs: 3, error: null, answer: 'thanks' };
  await ledger().flush({ results: [{ ...(await claim(id)), verdict, note }], claims: [] });
}

const callEndpoints = async () => {
  const { clients } = await createClientSource({ pool: on.pool }).read();
  return new Map(clients.flatMap(callEndpointsOf).map((endpoint) => [endpoint.endpointId, endpoint]));
};

describe('endpoints of a client', () => {
  it('are created with a name and a URL, and inherit all other settings from `default`', async () => {
    const made = await make({ concurrency: 3 });
    expect([made.statusCode, made.headers.location]).toEqual([201, expect.stringMatching(/endpoints\/billing$/)]);
    expect(endpointShape.parse(made.json())).toMatchObject({ url, concurrency: 3, auth: null, keys: [], revision: 1 });
    expect(await codeOf(make())).toBe('name-taken');
    const page = pageShape(endpointShape).parse((await ask('GET', base)).json());
    expect(page).toEqual({ items: [await endpoint('default'), await endpoint()], next: null });
    await ask('PATCH', `${base}/default`, { timeoutMs: 777, concurrency: 9 });

    const both = await callEndpoints();
    expect(both.get(billing)).toMatchObject({ clientId, terms: { concurrency: 3, timeoutMs: 777 } });
    expect(both.get(clientId)).toMatchObject({ clientId, terms: { concurrency: 9, timeoutMs: 777 } });
  });

  it('are patched at the expected revision, and null restores the setting of `default`', async () => {
    await make({ concurrency: 3 });
    const patch = (body: object, etag: string) =>
      on.api.server.inject({
        method: 'PATCH',
        url: `${base}/billing`,
        payload: body,
        headers: { ...authorized, 'if-match': etag },
      });
    const changed = await patch({ concurrency: null, finalCodes: [404] }, '"1"');
    expect((await patch({ concurrency: 4 }, '"1"')).statusCode).toBe(412);
    expect(endpointShape.parse(changed.json())).toMatchObject({ revision: 2, finalCodes: [404] });
    expect(endpointShape.parse(changed.json()).concurrency).toBeUndefined();
    const wrong = await ask('PATCH', `${base}/billing`, { concurrency: 0, url: 'https://billing.test/?token=x' });
    expect(problem.parse(wrong.json()).errors.map(({ pointer }) => pointer)).toEqual(['/concurrency', '/url']);
  });

  it('have their own secrets, shown only by length, or else use those of `default`', async () => {
    await make();
    await ask('POST', `${base}/default/keys`, {});
    const token = { kind: 'bearer', origins: ['https://billing.test'], token: 'of-orders' };
    await ask('PUT', `${base}/default/auth`, token);
    const before = (await callEndpoints()).get(billing);
    await ask('PUT', `${base}/billing/auth`, { ...token, token: 'of-billing' });
    const added = addedClientKey.parse((await ask('POST', `${base}/billing/keys`, {})).json());
    expect(added.secret).toMatch(/^whsec_/);
    const after = await callEndpoints();
    expect([before?.keys, before?.auth]).toEqual([after.get(clientId)?.keys, after.get(clientId)?.auth]);
    expect(after.get(billing)?.keys).toHaveLength(1);
    expect(after.get(billing)?.keys).not.toEqual(before?.keys);
    expect((await endpoint()).auth).toMatchObject({ kind: 'bearer', token: { set: true, length: 10 } });
    expect((await ask('DELETE', `${base}/billing/keys/${added.key.id}`)).statusCode).toBe(200);
    expect((await ask('DELETE', `${base}/billing/auth`)).statusCode).toBe(200);
    expect((await callEndpoints()).get(billing)).toMatchObject({ keys: before?.keys, auth: before?.auth });
  });

  it('have their own egress rules and sealed paths, or else those of `default`', async () => {
    const allow = [{ host: 'billing.test' }];
    await ask('PATCH', `${base}/default`, { egress: { allow }, sealPaths: true });
    const wanted = { name: 'shop', url: 'https://shop.test/hooks/secret' };
    const forbidden = problem.parse((await ask('POST', base, wanted)).json());
    expect(forbidden.errors).toMatchObject([{ pointer: '/url', code: 'forbidden-address' }]);
    const own = { egress: { allow: [{ host: 'shop.test' }] }, sealPaths: false };
    expect((await ask('POST', base, { ...wanted, ...own })).statusCode).toBe(201);
    await make();
    const both = await callEndpoints();
    expect(both.get(billing)?.terms).toMatchObject({ egress: { allow }, sealPaths: true });
    expect(both.get(endpointIdOf(clientId, 'shop'))?.terms).toMatchObject(own);
    expect((await displayed(await schedule({ endpoint: 'shop' }))).url).toBe(wanted.url);
    expect((await displayed(await schedule({ endpoint: 'billing' }))).url).not.toContain('hooks');
    const elsewhere = await ask('POST', '/v1/jobs', { client: 'orders', url: wanted.url });
    expect(problem.parse(elsewhere.json()).errors).toMatchObject([{ pointer: '/url', code: 'forbidden-address' }]);
  });

  it('are recorded in the audit log on each change', async () => {
    await make();
    await ask('POST', `${base}/billing/disable`, { reason: 'moving' });
    await ask('DELETE', `${base}/billing`);
    const { rows } = await on.pool.query<{ route: string }>(
      "select route from audit_log where route like '%endpoints%' order by at",
    );
    expect(rows.map(({ route }) => route)).toHaveLength(3);
  });
});

describe('the endpoint `default`', () => {
  it('has the id of its client, is first in the list, and is neither created nor deleted separately', async () => {
    await make();
    const page = pageShape(endpointShape).parse((await ask('GET', base)).json());
    expect(page.items.map(({ name }) => name)).toEqual(['default', 'billing']);
    expect(endpointIdOf(clientId, 'default')).toBe(clientId);
    expect(await codeOf(ask('POST', base, { name: 'default', url }))).toBe('name-taken');
    expect(await codeOf(ask('DELETE', `${base}/default`))).toBe('default-endpoint');
    expect((await endpoint('default')).name).toBe('default');
  });

  it('returns to the default settings by null, and other endpoints inherit the change', async () => {
    await make({ concurrency: 3 });
    await ask('PATCH', `${base}/default`, { concurrency: 9, finalCodes: [404] });
    expect((await callEndpoints()).get(billing)?.terms).toMatchObject({ concurrency: 3, finalCodes: [404] });
    await ask('PATCH', `${base}/billing`, { concurrency: null });
    expect((await callEndpoints()).get(billing)?.terms.concurrency).toBe(9);
    const reset = await ask('PATCH', `${base}/default`, { concurrency: null, finalCodes: null, url: null });
    expect(endpointShape.parse(reset.json())).toMatchObject({ concurrency: 50, finalCodes: [], url: null });
    expect((await callEndpoints()).get(billing)?.terms).toMatchObject({ concurrency: 50, finalCodes: [] });
  });

  it('serves jobs that name it and jobs that name no endpoint, and both are stored in the same way', async () => {
    const [unnamed, named] = [await schedule({ url }), await schedule({ url, endpoint: 'default' })];
    expect([(await displayed(unnamed)).endpoint, (await displayed(named)).endpoint]).toEqual(['default', 'default']);
    const { rows } = await on.pool.query('select endpoint, terms from jobs');
    expect(rows).toEqual([
      { endpoint: null, terms: null },
      { endpoint: null, terms: null },
    ]);
  });

  it('provides its URL for jobs that name it without a URL, and other jobs keep their own URL', async () => {
    const without = problem.parse((await ask('POST', '/v1/jobs', { client: 'orders', endpoint: 'default' })).json());
    expect(without.errors).toMatchObject([{ pointer: '/url', code: 'missing' }]);
    await ask('PATCH', `${base}/default`, { url });
    expect(await displayed(await schedule({ endpoint: 'default' }))).toMatchObject({ endpoint: 'default', url });
    expect((await displayed(await schedule({ url: 'https://shop.test/hook' }))).url).toBe('https://shop.test/hook');
  });

  it('stops its client when it is disabled: no job is accepted, and none is called through any endpoint', async () => {
    await make();
    await ask('POST', `${base}/default/disable`, { reason: 'calls in circles' });
    for (const fields of [{ url }, { endpoint: 'billing' }]) {
      const refused = problem.parse((await ask('POST', '/v1/jobs', { client: 'orders', ...fields })).json());
      expect([refused.status, refused.code]).toEqual([409, 'client-disabled']);
      expect(refused.detail).toContain('calls in circles');
    }
    const held = [...(await callEndpoints()).values()].map(({ heldBecause }) => heldBecause);
    expect(held).toEqual(['the client is disabled', 'the client is disabled']);
    await ask('POST', `${base}/default/enable`);
    expect((await ask('POST', '/v1/jobs', { client: 'orders', endpoint: 'billing' })).statusCode).toBe(201);
  });
});

describe('jobs that name an endpoint', () => {
  beforeEach(async () => {
    await make({ publishRatePerSecond: 5 });
  });

  it('use the URL of the endpoint or another URL of its origin, and no other origin', async () => {
    expect(await displayed(await schedule({ endpoint: 'billing' }))).toMatchObject({ endpoint: 'billing', url });
    const own = await schedule({ endpoint: 'billing', url: 'https://billing.test/other' });
    expect(await displayed(own)).toMatchObject({ endpoint: 'billing', url: 'https://billing.test/other' });
    const refused = async (fields: object) =>
      problem.parse((await ask('POST', '/v1/jobs', { client: 'orders', ...fields })).json()).errors[0];
    expect(await refused({ endpoint: 'billing', url: 'https://shop.test/' })).toMatchObject({ pointer: '/url' });
    expect(await refused({ endpoint: 'other' })).toMatchObject({ pointer: '/endpoint', code: 'unknown-endpoint' });
    expect(await refused({})).toMatchObject({ pointer: '/url', code: 'missing' });
  });

  it('are looked up, claimed and counted separately from other jobs of the client', async () => {
    const [through, beside] = [
      await schedule({ endpoint: 'billing', timeoutMs: 500 }),
      await schedule({ url: 'https://shop.test/hook' }),
    ];
    const due = createDueReferences({ pool: on.pool });
    // Both jobs may be in the same partition.
    const partitions = new Set([through, beside].map((id) => jobPartitionOf(uuid(id))));
    const marks = Array.from(partitions, (partition) => ({ partition, ...firstMark }));
    const endpointIdOf = new Map(
      (await due.scan(marks, 10, 0)).due.map(({ jobId, clientId: endpointId }) => [jobId, endpointId]),
    );
    expect([endpointIdOf.get(uuid(through)), endpointIdOf.get(uuid(beside))]).toEqual([billing, clientId]);
    const peeked = await due.peek(marks, new Map([[clientId, -1n]]), 10);
    expect(peeked.due.filter(({ clientId: endpointId }) => endpointId === billing).map(({ jobId }) => jobId)).toEqual([
      uuid(through),
    ]);

    expect(await claim(through)).toMatchObject({ clientId: billing });
    expect(await claim(beside)).toMatchObject({ clientId });
    const { rows } = await on.pool.query('select client from client_totals');
    expect(new Set(rows.map(({ client }: { client: string }) => client))).toEqual(new Set([clientId]));
  });

  it('are sidelined and restored separately from other jobs of the client', async () => {
    const [through, beside] = [await schedule({ endpoint: 'billing' }), await schedule({ url })];
    for (const id of [through, beside]) await end(id, { kind: 'sidelined', host: 'billing.test' });
    await circuits().open({ clientId: billing, host: 'billing.test' }, 'it hangs', 0);
    expect((await circuits().read()).map((circuit) => circuit.clientId)).toEqual([billing]);
    const probe = await circuits().takeProbe({ clientId: billing, host: 'billing.test' }, 1000, 60_000);
    expect(probe).toMatchObject({ kind: 'job', job: { jobId: uuid(through), clientId: billing } });
    expect((await displayed(beside)).state).toBe('sidelined');
    // No circuit exists for this sidelined job.
    expect(await circuits().closeOrphanedHosts()).toBe(1);
    expect((await circuits().read()).map((circuit) => circuit.clientId).toSorted()).toEqual(
      [billing, clientId].toSorted(),
    );
    const seen = z.object({ hosts: z.array(z.object({ clientId: z.string(), endpoint: z.string() })) });
    const { hosts } = seen.parse((await ask('GET', '/v1/scheduler')).json());
    expect(new Set(hosts.map((host) => [uuidOf('client', host.clientId), host.endpoint].join()))).toEqual(
      new Set([`${clientId},billing`, `${clientId},default`]),
    );
    const enabled = await ask('POST', '/v1/scheduler/hosts/enable', {
      client: 'orders',
      endpoint: 'billing',
      host: 'billing.test',
    });
    expect(enabled.statusCode, enabled.body).toBe(200);
  });

  it('are accepted while the endpoint is disabled, with a warning that they wait', async () => {
    await ask('POST', `${base}/billing/disable`, { reason: 'moving house' });
    const answer = await ask('POST', '/v1/jobs', { client: 'orders', endpoint: 'billing' });
    const { warnings } = acceptedJob.parse(answer.json());
    expect(warnings.map(({ code }) => code)).toEqual(['endpoint-disabled']);
    expect(warnings[0]?.detail).toContain('moving house');
    expect((await callEndpoints()).get(billing)?.heldBecause).toBe('the endpoint is disabled');
    expect((await callEndpoints()).get(clientId)?.heldBecause).toBeNull();
    await ask('POST', `${base}/billing/enable`);
    expect((await callEndpoints()).get(billing)?.heldBecause).toBeNull();
  });

  it('prevent deletion of the endpoint until they have ended, and still show its name afterwards', async () => {
    const id = await schedule({ endpoint: 'billing' });
    const used = await ask('DELETE', `${base}/billing`);
    expect([used.statusCode, problem.parse(used.json()).code]).toEqual([409, 'endpoint-in-use']);
    await end(id);
    expect((await ask('DELETE', `${base}/billing`)).statusCode).toBe(204);
    expect(await displayed(id)).toMatchObject({ state: 'called', endpoint: 'billing' });
    expect((await callEndpoints()).has(billing)).toBe(false);
    expect(await codeOf(ask('GET', `${base}/billing`))).toBe('endpoint-not-found');
    await make();
    expect((await callEndpoints()).get(billing)?.revision).toBeGreaterThan(3);
  });

  it('can be listed and cancelled by the name of the endpoint, in every state', async () => {
    const [through, beside] = [
      await schedule({ endpoint: 'billing', delaySeconds: 60 }),
      await schedule({ url, delaySeconds: 60, timeoutMs: 700 }),
    ];
    const [ended, endedByUrl] = [await schedule({ endpoint: 'billing' }), await schedule({ url })];
    await end(ended);
    await end(endedByUrl);
    const listed = async (query: string) => {
      const page = pageShape(z.object({ id: z.string() }));
      return page.parse((await ask('GET', `/v1/jobs?client=orders&${query}`)).json()).items.map(({ id }) => id);
    };
    expect(await listed('endpoint=billing')).toEqual([through]);
    expect(await listed('endpoint=billing&state=called')).toEqual([ended]);
    expect(await listed('endpoint=default')).toEqual([beside]);
    expect(await listed('endpoint=default&state=called')).toEqual([endedByUrl]);
    expect(await listed('endpoint=other')).toEqual([]);
    await ask('POST', '/v1/jobs/changes', { verb: 'cancel', client: 'orders', endpoint: 'billing' });
    const { jobChanges: changes, jobStore, logger } = on.deps;
    const changer = createJobChanger({ changes, jobStore, logger, clock: systemClock });
    changer.start();
    await expect.poll(async () => (await displayed(through)).state, { timeout: 20_000 }).toBe('cancelled');
    await changer.stop();
    expect((await displayed(beside)).state).toBe('pending');
    expect((await ask('DELETE', `${base}/billing`)).statusCode).toBe(204);
  });

  it('have their own forecast at the rate of the endpoint', async () => {
    for (let jobs = 0; jobs < 3; jobs++) await schedule({ endpoint: 'billing', delaySeconds: 600 });
    await schedule({ url, delaySeconds: 600 });
    const shape = z.object({
      publishRatePerSecond: z.number().nullable(),
      minutes: z.array(z.object({ calls: z.int() })),
    });
    const forecast = async (query = '') =>
      shape.parse((await ask('GET', `/v1/clients/orders/forecast${query}`)).json());
    expect(await forecast()).toEqual({ publishRatePerSecond: null, minutes: [{ calls: 1 }] });
    expect(await forecast('?endpoint=billing')).toEqual({ publishRatePerSecond: 5, minutes: [{ calls: 3 }] });
    expect((await ask('GET', '/v1/clients/orders/forecast?endpoint=other')).statusCode).toBe(422);
  });

  it('use the same endpoint when they are resent', async () => {
    const id = await schedule({ endpoint: 'billing' });
    await end(id);
    const sent = await ask('POST', '/v1/jobs/resend', { client: 'orders', ids: [id] });
    const again = z.object({ results: z.array(z.object({ jobId: z.string() })) }).parse(sent.json()).results[0]?.jobId;
    expect(await displayed(again ?? '')).toMatchObject({ endpoint: 'billing', repeats: id });
    expect(await claim(again ?? '')).toMatchObject({ clientId: billing });
  });
});

describe('a schedule that names an endpoint', () => {
  const daily = { name: 'Close the day', cron: '0 22 * * *', zone: 'Asia/Singapore' };

  it('fires jobs that use the endpoint, and prevents deletion of the endpoint', async () => {
    await make();
    const answer = await ask('POST', '/v1/schedules', { ...daily, target: { client: 'orders', endpoint: 'billing' } });
    expect(answer.statusCode, answer.body).toBe(201);
    const made = scheduleShape.parse(answer.json());
    expect(made.target).toMatchObject({ endpoint: 'billing', url });
    const fired = await ask('POST', `/v1/schedules/${made.id}/run-now`, {});
    const { fired: jobs } = z.object({ fired: z.array(z.object({ jobId: z.string() })) }).parse(fired.json());
    expect(await claim(jobs[0]?.jobId ?? '')).toMatchObject({ clientId: billing, url });
    await end(await schedule({ endpoint: 'billing' }));
    expect(await codeOf(ask('DELETE', `${base}/billing`))).toBe('endpoint-in-use');

    await ask('PATCH', `${base}/billing`, { url: 'https://billing.test/moved' });
    const kept = await ask('PATCH', `/v1/schedules/${made.id}`, { note: 'moved' });
    expect(scheduleShape.parse(kept.json()).target?.url).toBe(url);
    const moved = await ask('PATCH', `/v1/schedules/${made.id}`, { target: { url: null } });
    expect(scheduleShape.parse(moved.json()).target?.url).toBe('https://billing.test/moved');

    const elsewhere = { target: { url: 'https://shop.test/close' } };
    expect((await ask('PATCH', `/v1/schedules/${made.id}`, elsewhere)).statusCode).toBe(422);
    const own = await ask('PATCH', `/v1/schedules/${made.id}`, { target: { endpoint: null, ...elsewhere.target } });
    expect(scheduleShape.parse(own.json()).target).toMatchObject(elsewhere.target);
    expect(scheduleShape.parse(own.json()).target?.endpoint).toBeUndefined();
  });
});
