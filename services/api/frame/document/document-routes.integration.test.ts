import { describe, expect, it } from 'vitest';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import { createApi, type Api } from '../../api.ts';

const on = apiOnPostgres({ begun: 'once' });

function get(url: string, headers: Record<string, string> = authorized) {
  return on.api.server.inject({ method: 'GET', url, headers });
}

describe('access to the document', () => {
  const paths = ['/openapi.json', '/docs/', '/docs/json', '/docs/static/swagger-ui.css'];
  const statuses = (api: Api, headers: Record<string, string>) =>
    Promise.all(paths.map(async (url) => (await api.server.inject({ url, headers })).statusCode));

  it('requires a key if the document is not public', async () => {
    const keyed = await createApi({ ...on.deps, docs: 'keyed' });
    try {
      expect(await statuses(keyed, {})).toEqual(paths.map(() => 401));
      expect(await statuses(keyed, { authorization: `Bearer ${'x'.repeat(40)}` })).toEqual(paths.map(() => 401));
      expect(await statuses(keyed, authorized)).toEqual(paths.map(() => 200));
    } finally {
      await keyed.close();
    }
  });

  it('requires no key if the document is public', async () => {
    expect(await statuses(on.api, {})).toEqual(paths.map(() => 200));
  });
});

describe('the OpenAPI document as a response', () => {
  it('is compressed once, and not sent again to a client that has the current version', async () => {
    const plain = await get('/openapi.json', {});
    const packed = await get('/openapi.json', { 'accept-encoding': 'gzip, br' });
    const page = await get('/docs/json', { 'accept-encoding': 'gzip' });
    const again = await get('/openapi.json', { 'if-none-match': String(plain.headers.etag) });
    expect(packed.headers).toMatchObject({ 'content-encoding': 'br', vary: 'accept-encoding' });
    expect(packed.rawPayload.length * 5).toBeLessThan(plain.rawPayload.length);
    expect(brotliDecompressSync(packed.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect(gunzipSync(page.rawPayload).equals(plain.rawPayload)).toBe(true);
    expect([again.statusCode, again.body]).toEqual([304, '']);
  });

  it('is not offered as YAML', async () => {
    expect((await get('/docs/yaml', {})).statusCode).toBe(404);
  });
});

describe('the documentation', () => {
  it('may load only its own scripts and styles', async () => {
    const page = await get('/docs/', {});
    const policy = String(page.headers['content-security-policy']);
    const scripts = [...page.body.matchAll(/<script(?: src="([^"]+)")?/g)].map(([, src]) => src);

    expect(policy).toContain("default-src 'self'");
    expect(scripts.length).toBeGreaterThan(0);
    for (const src of scripts) {
      expect(src).toMatch(/^\.\/static\//);
      expect((await get(`/docs/${src ?? ''}`, {})).statusCode).toBe(200);
    }
  });

  it('does not permit other responses to load anything', async () => {
    expect((await get('/v1/campaigns')).headers['content-security-policy']).toContain("default-src 'none'");
  });
});
