import { Writable } from 'node:stream';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { authorized, someCampaign } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { createApi } from '../../api.ts';

const on = apiOnPostgres();

const line = z.looseObject({ msg: z.string() });

async function loggingApi() {
  const lines: z.infer<typeof line>[] = [];
  const sink = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      lines.push(line.parse(JSON.parse(chunk.toString())));
      done();
    },
  });
  const { server } = await createApi({ ...on.deps, logger: pino(sink) });
  return { server, lines, keyId: publicId('apiKey', on.key) };
}

it('a change is logged with its caller, object and result', async () => {
  const { server, lines, keyId } = await loggingApi();
  const headers = { ...authorized, 'x-request-id': 'mine' };

  const created = await server.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: someCampaign });
  const { id: campaignId } = z.object({ id: z.string() }).parse(created.json());
  await server.inject({ method: 'POST', url: `/v1/campaigns/${campaignId}/start`, headers });
  await server.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: { name: 'secret' } });

  const facts = { keyId, keyName: 'a test', reqId: 'mine', msg: 'change through the API' };
  expect(lines).toMatchObject([
    { ...facts, method: 'POST', route: '/v1/campaigns', campaignId, status: 201 },
    { ...facts, method: 'POST', route: '/v1/campaigns/:id/start', campaignId, status: 200 },
    { ...facts, method: 'POST', route: '/v1/campaigns', status: 422 },
  ]);
  expect(lines.every(({ ['ms']: ms }) => typeof ms === 'number')).toBe(true);
  expect(JSON.stringify(lines)).not.toContain('secret');
});

it('a change without a valid key is logged without a key', async () => {
  const { server, lines } = await loggingApi();

  await server.inject({ method: 'POST', url: '/v1/campaigns', payload: someCampaign });

  expect(lines).toMatchObject([{ keyId: null, route: '/v1/campaigns', status: 401 }]);
});

it('reads are not logged', async () => {
  const { server, lines } = await loggingApi();

  await server.inject({ method: 'GET', url: '/v1/campaigns', headers: authorized });

  expect(lines).toEqual([]);
});

it('the trace id of a request is in its log line and its answer, even if the answer is a problem', async () => {
  const { server, lines } = await loggingApi();
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  const headers = { ...authorized, traceparent: `00-${traceId}-00f067aa0ba902b7-01` };

  const refused = await server.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: { name: 'x' } });
  const nowhere = await server.inject({ method: 'GET', url: '/v1/nowhere', headers });

  expect(refused.headers['muster-trace-id']).toBe(traceId);
  expect([refused.json(), nowhere.json()]).toMatchObject([{ traceId }, { traceId }]);
  expect(lines).toMatchObject([{ traceId, status: 422 }]);
});

it.each(['nonsense', '', `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`])(
  'an invalid trace header is ignored (%s)',
  async (traceparent) => {
    const { server, lines } = await loggingApi();

    const headers = { ...authorized, traceparent };
    const refused = await server.inject({ method: 'POST', url: '/v1/campaigns', headers, payload: { name: 'x' } });

    expect(refused.statusCode).toBe(422);
    expect(refused.headers['muster-trace-id']).toBeUndefined();
    expect(refused.json()).not.toHaveProperty('traceId');
    expect(lines.map((each) => 'traceId' in each)).toEqual([false]);
  },
);
