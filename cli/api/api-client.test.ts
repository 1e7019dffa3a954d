import { describe, expect, test } from 'vitest';
import { getCampaign, createCampaign, listRuns } from '../../sdk/generated/sdk.gen.ts';
import { createApiClient } from './api-client.ts';
import { ApiRefusal, ApiUnavailable } from './failures.ts';

const campaign = { id: 'cmp_1', name: 'x', revision: 1, state: 'draft', countries: ['SG'], links: {} };
const body = { name: 'x', countries: ['SG'], audience: { include: [{ segment: 's' }] }, chain: [{ action: 'a' }] };

function clientOf(answer: () => Response) {
  const requests: Request[] = [];
  const client = createApiClient({
    baseUrl: 'http://api',
    apiKey: 'key',
    send: (input) => {
      requests.push(new Request(input));
      return Promise.resolve().then(answer);
    },
  });
  return { client, requests };
}

describe('the API client of the command line', () => {
  test('posts a definition with the API key and an idempotency key, and returns the response body unchanged', async () => {
    const { client, requests } = clientOf(() => Response.json(campaign, { status: 201 }));
    expect((await createCampaign({ client, body })).data).toEqual(campaign);

    const [request] = requests;
    expect(`${request?.method} ${request?.url}`).toBe('POST http://api/v1/campaigns');
    expect(await request?.json()).toEqual(body);
    expect(request?.headers.get('authorization')).toBe('Bearer key');
    expect(request?.headers.get('idempotency-key')).toMatch(/^cli-/);
  });

  test('percent-encodes ids in paths', async () => {
    const { client, requests } = clientOf(() => Response.json(campaign));
    await getCampaign({ client, path: { id: '../runs?x' } });
    expect(requests[0]?.url).toBe('http://api/v1/campaigns/..%2Fruns%3Fx');
  });

  test('throws ApiRefusal with the pointers for a problem with a status below 500', async () => {
    const errors = [{ pointer: '/chain', code: 'too-short', detail: 'at least one action' }];
    const { client } = clientOf(() => Response.json({ title: 'Bad', status: 422, errors }, { status: 422 }));
    const refusal = await createCampaign({ client, body }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiRefusal);
    expect(refusal).toMatchObject({ problem: { status: 422, errors } });
  });

  test.each([
    [
      'a problem with a status of at least 500',
      () => Response.json({ title: 'Down', status: 503 }, { status: 503 }),
      '503 Down',
    ],
    ['too many requests', () => Response.json({ title: 'Slow down', status: 429 }, { status: 429 }), '429 Slow down'],
    ['a page of a proxy', () => new Response('<html>', { status: 502 }), '502 <html>'],
    ['a page that is not JSON', () => new Response('<html>'), 'does not answer as Muster does'],
  ])('throws ApiUnavailable for %s', async (_name, answer, message) => {
    const { client } = clientOf(answer);
    const response = getCampaign({ client, path: { id: 'cmp_1' } });
    await expect(response).rejects.toThrow(ApiUnavailable);
    await expect(response).rejects.toThrow(message);
  });

  test('reports a refused connection with its cause', async () => {
    const { client } = clientOf(() => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8080') });
    });
    await expect(listRuns({ client })).rejects.toThrow('nobody answers at http://api: connect ECONNREFUSED');
  });
});
