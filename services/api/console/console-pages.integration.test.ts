import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createApi, type Api } from '../api.ts';
import { readConsolePages } from './console-pages.ts';
import { publicAddressOf } from '../../../shared/runtime/configuration/public-address.ts';

const on = apiOnPostgres({ begun: 'once' });

const script = `console.log(${JSON.stringify('hello '.repeat(200))})`;
const html = '<html><head><base href="/" /></head><script type="module" src="./assets/main-8f3a.js"></script></html>';

let folder: string;
let api: Api;

async function begin(publicUrl?: string) {
  const publicAddress = publicUrl === undefined ? undefined : publicAddressOf(publicUrl);
  api = await createApi({ ...on.deps, pages: await readConsolePages(folder), publicAddress });
}
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'muster-console-'));
  await mkdir(join(folder, 'assets'));
  await writeFile(join(folder, 'index.html'), html);
  await writeFile(join(folder, 'assets/main-8f3a.js'), script);
  await writeFile(join(folder, 'icon.svg'), '<svg/>');
  await writeFile(join(folder, 'manifest.json'), '{}');
  await begin();
});
afterEach(async () => {
  await api.close();
  await rm(folder, { recursive: true });
});

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const get = (url: string, headers: Record<string, string> = {}) => api.server.inject({ method: 'GET', url, headers });

describe('the console', () => {
  it.each(['/', '/campaigns', '/runs/run_1/report', '/log-in', '/no/such/view'])('is served at %s', async (path) => {
    const page = await get(path, browser);
    expect([page.statusCode, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(page.headers['cache-control']).toBe('no-cache');
    expect(page.body).toContain('src="./assets/main-8f3a.js"');
  });

  it.each(['/v1/nothing', '/assets/main-0000.js', '/docs/nothing.js', '/healthz/nothing', '/openapi.json/nothing'])(
    'is not served at %s, a path of the API',
    async (path) => {
      const response = await get(path, browser);
      expect([401, 404]).toContain(response.statusCode);
      expect(response.headers['content-type']).toContain('application/problem+json');
    },
  );

  it('answers requests for other content types and requests that change data with a problem', async () => {
    expect((await get('/campaigns', { accept: 'application/json' })).statusCode).toBe(404);
    expect((await api.server.inject({ method: 'POST', url: '/campaigns', headers: browser })).statusCode).toBe(404);
  });

  it('may load scripts and styles only from its own origin', async () => {
    const { headers } = await get('/', browser);
    const policy = String(headers['content-security-policy']);

    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
    expect(policy).toContain("connect-src 'self'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|nonce|https?:|\*/);
    expect(headers['referrer-policy']).toBe('no-referrer');
  });

  it('has an empty frame for previews of messages, which may show inline styles but cannot load or run anything', async () => {
    const { statusCode, headers, body } = await get('/message-frame', browser);
    expect([statusCode, body]).toEqual([200, expect.stringContaining('<body></body>')]);
    const policy = String(headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'; style-src 'unsafe-inline'; img-src data:;");
    expect(policy).toContain("frame-ancestors 'self'; sandbox allow-same-origin");
    expect(policy).not.toMatch(/script|https?:|\*/);
  });

  it('is served below a base path, whether or not the proxy removes the base path from requests', async () => {
    await api.close();
    await begin('https://example.com/muster');
    for (const path of ['/muster', '/muster/', '/muster/campaigns', '/campaigns', '/']) {
      const page = await get(path, browser);
      expect([path, page.statusCode]).toEqual([path, 200]);
      expect(page.body).toContain('<base href="/muster/" />');
    }
    expect((await get('/muster/assets/main-8f3a.js')).body).toBe(script);
    expect((await get('/mustering/assets/main-8f3a.js')).statusCode).toBe(404);
  });

  it('does not use the x-forwarded headers to determine its address', async () => {
    const headers = { ...browser, 'x-forwarded-prefix': '/"><script>', 'x-forwarded-host': 'evil.example' };
    const page = await get('/', headers);
    expect(page.body).toContain('<base href="/" />');
    expect(page.body).not.toContain('evil');
  });
});

describe('the files of the console', () => {
  it('are cached forever if their name contains a hash, and revalidated otherwise', async () => {
    const [asset, icon] = [await get('/assets/main-8f3a.js'), await get('/icon.svg')];
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(asset.headers['content-type']).toBe('text/javascript; charset=utf-8');
    expect(asset.headers['x-content-type-options']).toBe('nosniff');
    expect(icon.headers['cache-control']).toBe('no-cache');
    const again = await get('/icon.svg', { 'if-none-match': String(icon.headers.etag) });
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('are compressed for clients that accept compression', async () => {
    const url = '/assets/main-8f3a.js';
    const [br, gzip, plain] = [
      await get(url, { 'accept-encoding': 'gzip, br' }),
      await get(url, { 'accept-encoding': 'gzip' }),
      await get(url),
    ];
    expect([br, gzip, plain].map(({ headers }) => headers['content-encoding'])).toEqual(['br', 'gzip', undefined]);
    expect(brotliDecompressSync(br.rawPayload).toString()).toBe(script);
    expect(gunzipSync(gzip.rawPayload).toString()).toBe(script);
    expect(br.rawPayload.length).toBeLessThan(script.length);
    expect(br.headers.vary).toContain('accept-encoding');
  });

  it.each([
    '/manifest.json',
    '/index.html',
    '/assets/../index.html',
    '/assets/%2e%2e/index.html',
    '/assets/..%2f..%2fetc/passwd',
  ])('do not include %s', async (path) => {
    expect((await get(path)).statusCode).toBe(404);
  });
});

describe('the console without a build', () => {
  it('is not served, and its address redirects to the documentation of the API', async () => {
    await api.close();
    await rm(join(folder, 'index.html'));
    await begin();
    const page = await get('/', browser);
    expect([page.statusCode, page.headers.location]).toEqual([302, '/docs/']);
    expect((await get('/campaigns', browser)).statusCode).toBe(404);
  });

  it('is refused if its index page has no element for the base path', async () => {
    await writeFile(join(folder, 'index.html'), '<html></html>');
    await expect(readConsolePages(folder)).rejects.toThrow('lacks <base href="/" />');
  });
});
