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

describe('the client of the command line', () => {
  test('posts a definition with the key of the API and one of its own, and keeps the answer as it came', async () => {
    const { client, requests } = clientOf(() => Response.json(campaign, { status: 201 }));
    expect((await createCampaign({ client, body })).data).toEqual(campaign);

    const [request] = requests;
    expect(`${request?.method} ${request?.url}`).toBe('POST http://api/v1/campaigns');
    expect(await request?.json()).toEqual(body);
    expect(request?.headers.get('authorization')).toBe('Bearer key');
    expect(request?.headers.get('idempotency-key')).toMatch(/^cli-/);
  });

  test('encodes ids into paths', async () => {
    const { client, requests } = clientOf(() => Response.json(campaign));
    await getCampaign({ client, path: { id: '../runs?x' } });
    expect(requests[0]?.url).toBe('http://api/v1/campaigns/..%2Fruns%3Fx');
  });

  test('takes a problem below 500 for a refusal, with its pointers', async () => {
    const errors = [{ pointer: '/chain', code: 'too-short', detail: 'at least one action' }];
    const { client } = clientOf(() => Response.json({ title: 'Bad', status: 422, errors }, { status: 422 }));
    const refusal = await createCampaign({ client, body }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiRefusal);
    expect(refusal).toMatchObject({ problem: { status: 422, errors } });
  });

  test.each([
    ['a problem from 500 on', () => Response.json({ title: 'Down', status: 503 }, { status: 503 }), '503 Down'],
    ['too many requests', () => Response.json({ title: 'Slow down', status: 429 }, { status: 429 }), '429 Slow down'],
    ['a page of a proxy', () => new Response('<html>', { status: 502 }), '502 <html>'],
    ['a page that is no answer', () => new Response('<html>'), 'does not answer as Muster does'],
  ])('takes %s for an API that is unavailable', async (_name, answer, said) => {
    const { client } = clientOf(answer);
    const asked = getCampaign({ client, path: { id: 'cmp_1' } });
    await expect(asked).rejects.toThrow(ApiUnavailable);
    await expect(asked).rejects.toThrow(said);
  });

  test('shows a refused connection with its cause', async () => {
    const { client } = clientOf(() => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8080') });
    });
    await expect(listRuns({ client })).rejects.toThrow('nobody answers at http://api: connect ECONNREFUSED');
  });
});
