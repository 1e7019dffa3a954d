import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { verify } from '../../sdk/verify.ts';
import { startTestApi, type TestApi } from '../api/test-api.ts';
import { runMuster } from '../test-muster.ts';

const hash = '9f'.repeat(32);
const cut = { number: 0, hash: '00'.repeat(32) };
const place = { number: 17, hash };
const found = { checked: 17, from: cut, cut, to: place, head: place, next: null, broken: null };
const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;

let api: TestApi;
let status: number;
let received: { headers: IncomingHttpHeaders; body: string }[];
let url: string;
let stop: () => void;

beforeEach(async () => {
  api = await startTestApi();
  [status, received] = [204, []];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      response.writeHead(status, { location: '/elsewhere' }).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/a-secret-path`;
  stop = () => server.close();
  api.answers['GET /v1/audit/verification'] = { status: 200, body: found };
});
afterEach(() => {
  stop();
  api.stop();
});

const anchor = (environment: NodeJS.ProcessEnv = {}) =>
  runMuster(['audit', 'anchor'], {
    environment: { MUSTER_API_URL: api.url, MUSTER_API_KEY: 'muster_key', MUSTER_ANCHOR_URL: url, ...environment },
  });

describe('muster audit anchor', () => {
  test('posts the signed hash of the last entry after it has verified the log', async () => {
    const { code, out } = await anchor({ MUSTER_ANCHOR_SECRET: secret });
    expect([code, out]).toEqual([0, `Entry 17 is anchored: 17:${hash}\n`]);
    const [post] = received;
    expect(JSON.parse(post?.body ?? '')).toMatchObject({ type: 'audit.anchor', data: { from: cut, cut, head: place } });
    expect(post?.headers).toMatchObject({ 'content-type': 'application/json' });
    expect(verify(post?.headers ?? {}, post?.body ?? '', { secrets: [secret] }).id).toMatch(/^anc_/);
  });

  test('reports the broken entry to the webhook if the chain is invalid, and fails', async () => {
    const broken = { number: 12, what: 'missing', because: '13 follows 11' };
    api.answers['GET /v1/audit/verification'] = { status: 200, body: { ...found, broken } };
    const { code, out } = await anchor();
    expect(code).toBe(1);
    expect(out).toContain('Entry 12 is missing');
    expect(JSON.parse(received[0]?.body ?? '')).toMatchObject({ data: { broken } });
  });

  test.each([500, 302, 404])('fails if the webhook answers %s, and follows no redirect', async (answered) => {
    status = answered;
    const { code, out } = await anchor();
    expect([code, received.length]).toEqual([1, 1]);
    expect(out).toContain(`the webhook answered ${answered}`);
  });

  test('does not print the path of the webhook if nothing answers, because the path may be a secret', async () => {
    stop();
    const { code, out, notes } = await anchor({ MUSTER_ANCHOR_URL: 'http://127.0.0.1:1/a-secret-path' });
    expect(code).toBe(1);
    expect(out).toContain('127.0.0.1:1 does not answer');
    expect(out + notes).not.toContain('a-secret-path');
  });

  test.each([
    { MUSTER_ANCHOR_URL: '' },
    { MUSTER_ANCHOR_URL: 'http://example.com/' },
    { MUSTER_ANCHOR_SECRET: 'short' },
  ])('refuses %o before it sends a request to the API', async (environment) => {
    expect((await anchor(environment)).code).toBe(2);
    expect(received).toEqual([]);
  });
});
