import { describe, expect, it } from 'vitest';
import { maskUrl, storedHeaders } from '../../contracts/jobs/stored-calls.ts';
import { createSecretBox } from '../configuration/secret-box.ts';
import { openHeader, openUrl, sealCall } from './call-secrets.ts';

const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const box = createSecretBox([older]);
const owner = { clientId: 'c1', sealPaths: false };
const headers = JSON.stringify({ authorization: 'Bearer team-a', 'content-type': 'text/plain' });
const call = { url: 'https://a.test:8443/hooks/7?token=abc#top', headers };

describe('a stored call', () => {
  it('shows header names, the length of values, the server and the path, but no secret', () => {
    const stored = sealCall(call, owner, box);
    expect(JSON.parse(stored.headers ?? '')).toMatchObject({
      authorization: { length: 13 },
      'content-type': 'text/plain',
    });
    expect(stored.headers).toMatch(/"sealed":"v1\.[0-9a-f]{8}\.[\w-]+"/);
    expect(maskUrl(stored.url)).toBe('https://a.test:8443/hooks/7?[sealed]');
    expect(JSON.stringify(stored)).not.toMatch(/team-a|abc/);
  });

  it('opens to the original call only for its own client and server', () => {
    const stored = sealCall(call, owner, box);
    expect(openUrl(stored.url, 'c1', box)).toBe('https://a.test:8443/hooks/7?token=abc');
    const { authorization = '' } = storedHeaders.parse(JSON.parse(stored.headers ?? ''));
    const open = (clientId: string, origin: string) =>
      openHeader('authorization', authorization, { clientId, origin }, box);
    expect(open('c1', 'https://a.test:8443')).toBe('Bearer team-a');
    for (const [clientId, origin] of [
      ['c2', 'https://a.test:8443'],
      ['c1', 'https://a.test'],
    ] as const) {
      expect(() => open(clientId, origin)).toThrow('does not open');
    }
    expect(() => openUrl(stored.url, 'c2', box)).toThrow('does not open');
    expect(() => openUrl(stored.url.replace('a.test', 'b.test'), 'c1', box)).toThrow('does not open');
  });

  it.each([
    ['https://a.test/hooks/7?token=abc', 'https://a.test/hooks/7?token=abc'],
    ['https://a.test', 'https://a.test/'],
    ['HTTPS://A.test/x y', 'https://a.test/x%20y'],
  ])('has its path sealed too if the client is configured with sealPaths: %s', (url, opened) => {
    const stored = sealCall({ url, headers: null }, { ...owner, sealPaths: true }, box);
    expect(maskUrl(stored.url)).toBe(opened === 'https://a.test/' ? url : 'https://a.test/[sealed]');
    expect(openUrl(stored.url, 'c1', box).replace(/\/$/, '')).toBe(opened.replace(/\/$/, ''));
  });

  it.each([
    { url: 'https://a.test/hooks/7', headers: null },
    { url: 'https://a.test/hooks/7?', headers: '{"content-type":"text/plain"}' },
    { url: 'https://a.test/hooks/7#?a=b', headers: null },
  ])('is stored unchanged if it holds no secret: %j', (plain) => {
    expect(sealCall(plain, owner, box)).toBe(plain);
  });

  it('is sealed to the same text again, and lists the texts that an older key or no key would give', () => {
    const before = sealCall(call, owner, box);
    expect(sealCall(call, owner, box)).toMatchObject({ url: before.url, headers: before.headers });
    const during = sealCall(call, owner, createSecretBox([newer, older]));
    expect(during.headers).not.toBe(before.headers);
    expect(during.alike?.()).toEqual([{ url: before.url, headers: before.headers }, call]);
  });

  it('stays unchanged when it is sealed again', () => {
    const { url, headers: once } = sealCall(call, owner, box);
    expect(sealCall({ url, headers: once }, owner, box)).toEqual({ url, headers: once });
  });

  it('is refused without a key if a header or path must be sealed, while a query stays plain', () => {
    const none = createSecretBox([]);
    expect(() => sealCall(call, owner, none)).toThrow('MUSTER_SECRETS_KEY is not set here');
    expect(() => sealCall({ ...call, headers: null }, { ...owner, sealPaths: true }, none)).toThrow('is not set here');
    expect(sealCall({ ...call, headers: null }, owner, none)).toEqual({ url: call.url, headers: null });
  });
});
