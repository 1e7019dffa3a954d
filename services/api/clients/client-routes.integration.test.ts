import { describe, expect, it } from 'vitest';
import { addedClientKey, endpointShape } from '../../../shared/contracts/jobs/client-endpoints.ts';
import { clientShape } from '../../../shared/contracts/jobs/clients.ts';
import { clientKeyContext } from '../../../shared/domain/job/job-ids.ts';
import { z } from 'zod';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { letDie } from '../../../test/support/postgres-call-ledger.ts';
import { postgresJobSubject } from '../../../test/support/postgres-job-subject.ts';
import { createSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { certificateFor } from '../../../test/support/certificates.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createApi } from '../api.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { problem } from '../frame/problems.contract.ts';

const on = apiOnPostgres();

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

function ask(method: Method, url: string, payload?: object, headers: Record<string, string> = {}) {
  return on.api.server.inject({ method, url, headers: { ...authorized, ...headers }, ...(payload && { payload }) });
}

async function makeClient(fields: object = {}) {
  return clientShape.parse((await ask('POST', '/v1/clients', { name: 'orders', ...fields })).json());
}

describe('clients', () => {
  it('are created with only a name, and shown with all defaults', async () => {
    const response = await ask('POST', '/v1/clients', { name: 'orders' });
    expect(response.statusCode).toBe(201);
    expect(response.headers.etag).toBe('"1"');
    const made = clientShape.parse(response.json());
    expect(made).toMatchObject({
      name: 'orders',
      maxStoredJobs: 10_000_000,
      endpoint: {
        name: 'default',
        url: null,
        enabled: true,
        concurrency: 50,
        auth: null,
        keys: [],
        retry: { strategy: 'exponential', attempts: 5 },
      },
    });
    expect((await ask('GET', `/v1/clients/${made.id}/endpoints/default`)).json()).toEqual(made.endpoint);
    expect((await ask('GET', `/v1/clients/${made.id}`)).json()).toEqual(made);
    expect((await ask('GET', '/v1/clients/orders')).json()).toEqual(made);
    const page = pageShape(clientShape).parse((await ask('GET', '/v1/clients')).json());
    expect(page).toEqual({ items: [made], next: null });
  });

  it('are created once with the same Idempotency-Key, and once with the same name', async () => {
    const key = { 'idempotency-key': 'k-1' };
    const first = await ask('POST', '/v1/clients', { name: 'orders' }, key);
    expect((await ask('POST', '/v1/clients', { name: 'orders' }, key)).json()).toEqual(first.json());
    const taken = await ask('POST', '/v1/clients', { name: 'orders' });
    expect([taken.statusCode, problem.parse(taken.json()).code]).toEqual([409, 'name-taken']);
  });

  it('are created together with the terms of their endpoint `default` in one request', async () => {
    const endpoint = { url: 'https://shop.test/hooks', concurrency: 7, sealPaths: true };
    expect(await makeClient({ endpoint })).toMatchObject({ endpoint: { name: 'default', ...endpoint } });
    const wrong = { name: 'other', endpoint: { url: 'http://169.254.169.254/', concurrency: 7 } };
    const refused = problem.parse((await ask('POST', '/v1/clients', wrong)).json());
    expect(refused.errors).toMatchObject([{ pointer: '/endpoint/url', code: 'forbidden-address' }]);
    const allowed = { ...wrong.endpoint, url: 'http://10.0.0.1/', egress: { allow: [{ cidr: '10.0.0.0/8' }] } };
    expect((await ask('POST', '/v1/clients', { name: 'other', endpoint: allowed })).statusCode).toBe(201);
  });

  it('are changed by a merge patch at the expected revision, and null resets a field to its default', async () => {
    const { id } = await makeClient({ maxSchedules: 7, acceptPerSecond: 100 });
    const change = (body: object, etag: string) => ask('PATCH', `/v1/clients/${id}`, body, { 'if-match': etag });
    const changed = await change({ maxSchedules: null, acceptPerSecond: null, name: 'orders.eu' }, '"1"');
    expect(changed.statusCode).toBe(200);
    const changedClient = clientShape.parse(changed.json());
    expect(changedClient).toMatchObject({ name: 'orders.eu', revision: 2, maxSchedules: 10_000 });
    expect(changedClient.acceptPerSecond).toBeUndefined();
    expect((await change({ maxSchedules: 9 }, '"1"')).statusCode).toBe(412);
  });

  it.each([
    ['/name', { name: 'Big Name' }],
    ['/maxSchedules', { maxSchedules: 0 }],
    ['/colour', { colour: 'red' }],
    ['/concurrency', { concurrency: 5 }],
  ])('are not changed to invalid values: %s', async (pointer, body) => {
    const { id } = await makeClient();
    const response = await ask('PATCH', `/v1/clients/${id}`, body);
    expect(response.statusCode).toBe(422);
    expect(problem.parse(response.json()).errors.map((error) => error.pointer)).toEqual([pointer]);
  });

  it('have no fields of endpoints in their own routes', async () => {
    const { id } = await makeClient();
    const requests = [
      ['POST', 'disable'],
      ['POST', 'enable'],
      ['POST', 'keys'],
      ['DELETE', 'keys/csk_1'],
      ['PUT', 'auth'],
      ['DELETE', 'auth'],
    ] as const;
    for (const [method, path] of requests) {
      expect((await ask(method, `/v1/clients/${id}/${path}`, {})).statusCode, `${method} ${path}`).toBe(404);
    }
  });

  it('are not found under unknown ids', async () => {
    expect((await ask('GET', '/v1/clients/cli_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
    expect((await ask('POST', '/v1/clients/nobody/endpoints/default/disable', {})).statusCode).toBe(404);
  });

  it('are disabled with a reason and enabled again, and a repeat changes nothing', async () => {
    const { id } = await makeClient();
    const disable = () => ask('POST', `/v1/clients/${id}/endpoints/default/disable`, { reason: 'calls in circles' });
    const disabled = endpointShape.parse((await disable()).json());
    expect(disabled).toMatchObject({ enabled: false, disabledReason: 'calls in circles', revision: 2 });
    expect((await disable()).json()).toEqual(disabled);
    const reasoned = await ask('POST', `/v1/clients/${id}/endpoints/default/enable`, { reason: 'it is well' });
    expect([reasoned.statusCode, reasoned.json()]).toEqual([
      422,
      expect.objectContaining({ errors: [expect.objectContaining({ pointer: '/reason' })] }),
    ]);
    const enabled = await ask('POST', `/v1/clients/${id}/endpoints/default/enable`);
    expect(enabled.json()).toMatchObject({ enabled: true, disabledReason: null, revision: 3 });
  });
});

describe('a deleted client', () => {
  const dead = jobIdOf(64);
  const remove = () => ask('DELETE', '/v1/clients/orders');
  const refusal = async () => {
    const response = await remove();
    return [response.statusCode, problem.parse(response.json()).code, problem.parse(response.json()).detail];
  };
  const schedule = { name: 'hourly', everySeconds: 3600, target: { url: 'https://one.example/' } };

  it('had to be disabled and free of stored jobs and active schedules, and its name may be used again', async () => {
    const { id } = await makeClient();
    await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {});
    const target = { ...schedule.target, client: 'orders' };
    const made = z
      .object({ id: z.string() })
      .parse((await ask('POST', '/v1/schedules', { ...schedule, target })).json());
    const job = { client: 'orders', url: 'https://one.example/', delaySeconds: 3600 };
    const accepted = z.object({ id: z.string() }).parse((await ask('POST', '/v1/jobs', job)).json());
    expect(await refusal()).toEqual([
      409,
      'client-in-use',
      '"orders" is enabled, or was changed in the last seconds; and it has 1 stored jobs, which can be cancelled: ' +
        'POST /v1/jobs/changes; and it has 1 schedules that are not disabled',
    ]);
    await ask('POST', `/v1/jobs/${accepted.id}/cancel`);
    await ask('POST', `/v1/schedules/${made.id}/pause`);
    await ask('POST', `/v1/clients/${id}/endpoints/default/disable`, {});
    expect((await refusal())[2]).toBe(
      '"orders" is enabled, or was changed in the last seconds; and it has 1 schedules that are not disabled',
    );
    await ask('POST', `/v1/schedules/${made.id}/disable`);
    expect((await refusal())[2]).toBe('"orders" is enabled, or was changed in the last seconds');
    await on.pool.query("update clients set updated_at = updated_at - interval '3 seconds'");

    expect((await remove()).statusCode).toBe(204);

    expect((await remove()).statusCode).toBe(404);
    expect((await ask('GET', `/v1/clients/${id}`)).statusCode).toBe(404);
    expect((await ask('GET', `/v1/schedules/${made.id}`)).statusCode).toBe(404);
    expect((await ask('POST', '/v1/jobs', job)).statusCode).toBe(422);
    expect((await on.pool.query('select 1 from client_endpoint_secrets')).rows).toEqual([]);
    expect(await on.rowsOf('audit_log')).toContainEqual(
      expect.objectContaining({ method: 'DELETE', route: '/v1/clients/:id', subject: 'orders', status: 204 }),
    );
    expect((await ask('GET', `/v1/jobs/${accepted.id}`)).json()).toMatchObject({ id: accepted.id, state: 'cancelled' });
    const ended = await ask('GET', `/v1/jobs?client=${id}&state=cancelled`);
    expect(ended.json()).toMatchObject({ items: [{ id: accepted.id }] });
    expect((await makeClient()).id).not.toBe(id);
  });

  it('has dead jobs that can be read but not replayed', async () => {
    const { id } = await makeClient();
    const clientId = uuidOf('client', id) ?? '';
    const keys = await postgresJobSubject(on.pool).add([{ jobId: dead, clientId, dueInMs: -1 }]);
    await letDie(on.pool, keys, 'status 500');
    await on.pool.query('update client_totals set accepted = called + expired + cancelled + dead');
    await ask('POST', `/v1/clients/${id}/endpoints/default/disable`, {});
    await on.pool.query("update clients set updated_at = updated_at - interval '3 seconds'");
    expect((await remove()).statusCode).toBe(204);

    const deadId = publicId('job', dead);
    expect((await ask('GET', `/v1/quarantine/jobs?client=${id}`)).json()).toMatchObject({ items: [{ id: deadId }] });
    expect((await ask('GET', `/v1/quarantine/jobs/${deadId}`)).statusCode).toBe(200);
    const replayed = await ask('POST', `/v1/quarantine/jobs/${deadId}/replay`, {});
    expect([replayed.statusCode, problem.parse(replayed.json()).code]).toEqual([409, 'client-deleted']);
    expect((await ask('POST', '/v1/quarantine/jobs/replay', { all: true })).json()).toEqual({ items: 0, expired: 0 });
    expect((await ask('GET', `/v1/quarantine/jobs/${deadId}`)).statusCode).toBe(200);
  });
});

describe('signing keys', () => {
  it('are created by the API, shown only in that response, and stored encrypted', async () => {
    const { id } = await makeClient();
    const response = await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {});
    expect(response.statusCode).toBe(201);
    const { key, secret } = addedClientKey.parse(response.json());
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect((await ask('GET', `/v1/clients/${id}`)).body).not.toContain(secret);

    const clientId = uuidOf('client', id) ?? '';
    const keyId = uuidOf('clientKey', key.id) ?? '';
    const { rows } = await on.pool.query<{ sealed: string }>(
      'select sealed from client_endpoint_secrets where id = $1',
      [keyId],
    );
    expect(on.deps.secretBox.open(rows[0]?.sealed ?? '', clientKeyContext(clientId, keyId))).toBe(secret);
  });

  it('overlap during a rotation: the older key expires later', async () => {
    const { id } = await makeClient();
    const first = addedClientKey.parse((await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {})).json());
    const given = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
    const body = { secret: given, othersExpireInSeconds: 3600 };
    const second = addedClientKey.parse((await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, body)).json());
    expect(second.secret).toBeNull();
    expect(second.endpoint.keys).toEqual([
      { ...second.key, expiresAt: null },
      { ...first.key, expiresAt: '2026-01-01T01:00:00.000Z' },
    ]);
    const removed = await ask('DELETE', `/v1/clients/${id}/endpoints/default/keys/${first.key.id}`);
    expect(endpointShape.parse(removed.json()).keys).toEqual([second.key]);
  });

  it('cause a warning if there is none, or if all expire', async () => {
    const { id, endpoint } = await makeClient();
    const unsigned = (text: string) => {
      const detail: unknown = expect.stringContaining(text);
      return [{ pointer: '/keys', code: 'unsigned', detail }];
    };
    expect(endpoint.warnings).toEqual(
      unsigned(
        `not signed, so receivers cannot distinguish them from others: POST /v1/clients/${id}/endpoints/default/keys`,
      ),
    );
    const first = addedClientKey.parse((await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {})).json());
    expect(first.endpoint.warnings).toEqual([]);
    const second = addedClientKey.parse((await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {})).json());
    expect(second.endpoint.warnings).toEqual([]);
    const removed = endpointShape.parse(
      (await ask('DELETE', `/v1/clients/${id}/endpoints/default/keys/${second.key.id}`)).json(),
    );
    expect(removed.warnings).toEqual(unsigned('not signed from 2026-01-02T00:00:00.000Z on'));
  });

  it('must be secrets in the format of Standard Webhooks', async () => {
    const { id } = await makeClient();
    const response = await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, { secret: 'whsec_short' });
    expect(response.statusCode).toBe(422);
    expect(response.body).not.toContain('short');
  });

  it('are neither in stored responses nor in the audit log', async () => {
    const { id } = await makeClient();
    const headers = { 'idempotency-key': 'k-1' };
    const { secret } = addedClientKey.parse(
      (await ask('POST', `/v1/clients/${id}/endpoints/default/keys`, {}, headers)).json(),
    );
    const kept = JSON.stringify([await on.rowsOf('idempotency_keys'), await on.rowsOf('audit_log')]);
    expect(kept).toContain('/v1/clients/:id/endpoints/:endpoint/keys');
    expect(kept).not.toContain(secret);
  });

  it('cannot be created if no process can encrypt them', async () => {
    const bare = await createApi({ ...on.deps, secretBox: createSecretBox([]) });
    const { id } = await makeClient();
    const request = {
      method: 'POST',
      url: `/v1/clients/${id}/endpoints/default/keys`,
      headers: authorized,
      payload: {},
    } as const;
    const response = await bare.server.inject(request);
    expect(problem.parse(response.json())).toMatchObject({ status: 409, code: 'secrets-not-configured' });
  });
});

describe('the credentials for calls', () => {
  const origins = ['https://shop.test'];
  const tokens = { kind: 'oauth2', origins, tokenUrl: 'https://id.test/token', clientId: 'shop' };
  const auths = [
    { given: { kind: 'bearer', origins, token: 'team-a-token' }, view: { token: { set: true, length: 12 } } },
    {
      given: { kind: 'basic', origins, username: 'shop', password: 'pa ss:word' },
      view: { username: 'shop', password: { set: true, length: 10 } },
    },
    {
      given: { ...tokens, scope: 'calls', clientSecret: 'pa ss:word' },
      view: { tokenUrl: tokens.tokenUrl, clientId: 'shop', scope: 'calls', clientSecret: { set: true, length: 10 } },
    },
  ];

  it.each(auths)('are set, shown without their secrets, and removed: $given.kind', async ({ given, view }) => {
    const { id, revision } = await makeClient();
    const set = await ask('PUT', `/v1/clients/${id}/endpoints/default/auth`, given);
    expect(set.statusCode).toBe(200);
    const changedAt = on.deps.clock.now().toISOString();
    expect(endpointShape.parse(set.json())).toMatchObject({
      revision: revision + 1,
      auth: { kind: given.kind, origins, changedAt, ...view },
    });
    expect((await ask('GET', '/v1/clients')).json()).toMatchObject({
      items: [{ endpoint: { auth: { kind: given.kind } } }],
    });
    const kept = JSON.stringify([await on.rowsOf('client_endpoints'), await on.rowsOf('audit_log')]);
    for (const secret of ['team-a-token', 'pa ss:word']) expect(set.body + kept).not.toContain(secret);
    expect((await ask('DELETE', `/v1/clients/${id}/endpoints/default/auth`)).json()).toMatchObject({
      auth: null,
      revision: revision + 2,
    });
    expect((await ask('DELETE', `/v1/clients/${id}/endpoints/default/auth`)).json()).toMatchObject({
      auth: null,
      revision: revision + 2,
    });
  });

  it.each([
    ['a server with a path', '/origins/0', { kind: 'bearer', origins: ['https://shop.test/x'], token: 'secret-token' }],
    ['no server', '/origins', { kind: 'bearer', origins: [], token: 'secret-token' }],
    ['a token with blanks', '/token', { kind: 'bearer', origins, token: 'secret token' }],
    ['a secret in a URL', '/tokenUrl', { ...tokens, tokenUrl: 'https://a:secret-token@id.test/', clientSecret: 'x' }],
    ['another kind', '/kind', { kind: 'secret-kind', origins }],
    ['a field too many', '', { kind: 'basic', origins, username: 'a', password: 'b', token: 'secret-token' }],
  ])('are refused with %s, and the problem does not quote it', async (_what, pointer, given) => {
    const { id } = await makeClient();
    const refused = await ask('PUT', `/v1/clients/${id}/endpoints/default/auth`, given);
    expect(refused.statusCode).toBe(422);
    expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer }]);
    expect(refused.body).not.toMatch(/secret.(token|kind)/);
  });

  it.each(['http://169.254.169.254/token', 'http://127.0.0.1/token', 'http://[::1]/token'])(
    'are refused with a blocked token server: %s',
    async (tokenUrl) => {
      const { id } = await makeClient();
      await ask('POST', `/v1/clients/${id}/endpoints`, { name: 'orders', url: 'https://shop.test/orders' });
      const given = { ...tokens, tokenUrl, clientSecret: 'a secret' };
      for (const path of [`/v1/clients/${id}/endpoints/default/auth`, `/v1/clients/${id}/endpoints/orders/auth`]) {
        const refused = await ask('PUT', path, given);
        expect(refused.statusCode).toBe(422);
        expect(problem.parse(refused.json()).errors).toMatchObject([
          { pointer: '/tokenUrl', code: 'forbidden-address' },
        ]);
      }
    },
  );

  it('may be a certificate, whose key is never shown', async () => {
    const { id } = await makeClient();
    const [own, other] = await Promise.all([certificateFor('shop'), certificateFor('other')]);
    const given = { kind: 'mtls', origins, ...own, ca: other.certificate };
    const set = await ask('PUT', `/v1/clients/${id}/endpoints/default/auth`, given);
    expect(endpointShape.parse(set.json()).auth).toMatchObject({
      kind: 'mtls',
      certificate: own.certificate,
      ca: other.certificate,
      key: { set: true, length: own.key.length },
    });
    const kept = JSON.stringify([await on.rowsOf('client_endpoints'), await on.rowsOf('audit_log'), set.json()]);
    const [, line = ''] = own.key.split('\n');
    expect(line).toHaveLength(64);
    expect(kept).not.toContain(line);

    const wrong = [
      ['/key', { ...given, key: other.key }],
      ['/key', { ...given, key: `${own.key.slice(0, 40)}AAAA` }],
      ['/certificate', { ...given, certificate: own.key }],
      ['/ca', { ...given, ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----' }],
      ['/origins/0', { ...given, origins: ['http://shop.test'] }],
    ] as const;
    for (const [pointer, body] of wrong) {
      const refused = await ask('PUT', `/v1/clients/${id}/endpoints/default/auth`, body);
      expect(problem.parse(refused.json()).errors).toMatchObject([{ pointer }]);
      expect(refused.body).not.toContain(line.slice(0, 10));
    }
  });

  it('cannot be stored without a key for secrets', async () => {
    const bare = await createApi({ ...on.deps, secretBox: createSecretBox([]) });
    const { id } = await makeClient();
    const payload = { kind: 'bearer', origins, token: 'team-a-token' };
    const request = {
      method: 'PUT',
      url: `/v1/clients/${id}/endpoints/default/auth`,
      headers: authorized,
      payload,
    } as const;
    const response = await bare.server.inject(request);
    expect([response.statusCode, problem.parse(response.json()).code]).toEqual([409, 'secrets-not-configured']);
    await bare.close();
  });
});
