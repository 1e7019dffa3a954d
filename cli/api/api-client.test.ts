import { describe, expect, test } from 'vitest';
import { ApiRefusal, ApiUnavailable } from './api-answers.ts';
import { createApiClient } from './api-client.ts';

const campaign = {
  id: 'cmp_1',
  name: 'x',
  revision: 1,
  state: 'draft',
  countries: ['SG'],
  nextRunAt: null,
  links: {},
};

interface Call {
  url: string;
  init: RequestInit | undefined;
}

function clientOf(answer: () => Response) {
  const calls: Call[] = [];
  const api = createApiClient({
    baseUrl: 'http://api',
    apiKey: 'key',
    fetch: (input, init) => {
      calls.push({ url: input instanceof Request ? input.url : input.toString(), init });
      return Promise.resolve().then(answer);
    },
  });
  return { api, calls };
}

describe('the API client', () => {
  test('posts a definition with the key, and keeps the answer as it came', async () => {
    const { api, calls } = clientOf(() => Response.json(campaign, { status: 201 }));
    const { value, raw } = await api.createCampaign({ name: 'x' });

    expect(value.id).toBe('cmp_1');
    expect(raw).toEqual(campaign);
    expect(calls[0]?.url).toBe('http://api/v1/campaigns');
    expect(calls[0]?.init).toMatchObject({ method: 'POST', body: '{"name":"x"}' });
    expect(new Headers(calls[0]?.init?.headers).get('authorization')).toBe('Bearer key');
  });

  test('ids are encoded into paths', async () => {
    const { api, calls } = clientOf(() => Response.json(campaign));
    await api.showCampaign('../runs?x');
    expect(calls[0]?.url).toBe('http://api/v1/campaigns/..%2Fruns%3Fx');
  });

  test('a problem below 500 is a refusal with its pointers', async () => {
    const errors = [{ pointer: '/chain', code: 'too-short', detail: 'at least one action' }];
    const { api } = clientOf(() => Response.json({ title: 'Bad', status: 422, errors }, { status: 422 }));
    const refusal = await api.createCampaign({}).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ApiRefusal);
    expect(refusal).toMatchObject({ problem: { status: 422, errors } });
  });

  test.each([
    ['a problem from 500 on', () => Response.json({ title: 'Down', status: 503 }, { status: 503 }), '503 Down'],
    ['too many requests', () => Response.json({ title: 'Slow down', status: 429 }, { status: 429 }), '429 Slow down'],
    ['a page of a proxy', () => new Response('<html>', { status: 502 }), '502 <html>'],
    ['an answer of another shape', () => Response.json({ id: 1 }), 'does not answer as Muster does'],
  ])('%s means that the API is unavailable', async (_name, answer, told) => {
    const { api } = clientOf(answer);
    await expect(api.showCampaign('cmp_1')).rejects.toThrow(ApiUnavailable);
    await expect(api.showCampaign('cmp_1')).rejects.toThrow(told);
  });

  test('a refused connection is shown with its cause', async () => {
    const { api } = clientOf(() => {
      throw new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED 127.0.0.1:8080') });
    });
    await expect(api.latestRun('cmp_1')).rejects.toThrow('nobody answers at http://api: connect ECONNREFUSED');
  });
});
