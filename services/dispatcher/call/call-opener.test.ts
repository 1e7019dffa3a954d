import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { createSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { sealCall } from '../../../shared/runtime/installation/call-secrets.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createCallOpener } from './call-opener.ts';

const [older, newer] = [Buffer.alloc(32, 1), Buffer.alloc(32, 2)];
const box = createSecretBox([older]);
const openerOf = (secretBox = box) =>
  createCallOpener({ secretBox, clock: createSettableClock(), logger: pino({ level: 'silent' }) });

const plain = {
  clientId: 'c1',
  url: 'https://a.test/x',
  origin: 'https://a.test',
  path: '/x',
  headers: null,
  body: null,
};
const usual = ['user-agent', 'muster', 'content-type', 'application/json'];

function sealedJob(headers: Record<string, string>, { clientId = 'c1', url = 'https://a.test/x?token=t-123456' } = {}) {
  const call = sealCall({ url, headers: JSON.stringify(headers) }, { clientId, sealPaths: false }, box);
  return { ...plain, clientId, ...call };
}

describe("the content of a job's call", () => {
  it('gets default headers that the job does not set, in any letter case', () => {
    const headersOf = (headers: string | null, body: string | null) => openerOf().open({ ...plain, headers, body });
    expect(headersOf(null, '{}')).toEqual({
      kind: 'opened',
      path: '/x',
      headers: usual,
      hasAuthorization: false,
      secrets: [],
    });
    expect(headersOf(null, null)).toMatchObject({ headers: usual.slice(0, 2) });
    expect(headersOf('{"Content-Type":"text/plain","X-A":"b"}', 'x')).toMatchObject({
      headers: ['Content-Type', 'text/plain', 'X-A', 'b', ...usual.slice(0, 2)],
    });
    expect(headersOf('no headers', '{}')).toMatchObject({ headers: usual });
  });

  it('has a separate list of headers for each call', () => {
    const opener = openerOf();
    const headersOf = () => {
      const opened = opener.open(sealedJob({ 'x-a': 'b' }));
      return opened.kind === 'opened' ? opened.headers : [];
    };
    headersOf().push('webhook-id', 'one');
    expect(headersOf()).toEqual(['x-a', 'b', 'user-agent', 'muster']);
  });

  it('is decrypted together with a list of its secrets', () => {
    const opened = openerOf().open(sealedJob({ authorization: 'Bearer team-a', 'x-shop': 'a shop of ours' }));
    expect(opened).toEqual({
      kind: 'opened',
      path: '/x?token=t-123456',
      hasAuthorization: true,
      headers: ['authorization', 'Bearer team-a', 'x-shop', 'a shop of ours', 'user-agent', 'muster'],
      secrets: ['Bearer team-a', 'a shop of ours', 'token=t-123456', 't-123456'],
    });
  });

  it('is not decrypted for another client or server, even after it was decrypted once', () => {
    const job = sealedJob({ authorization: 'Bearer team-a' });
    const opener = openerOf();
    expect(opener.open(job).kind).toBe('opened');
    const cause = 'its secrets cannot be opened: not-authentic';
    expect(opener.open({ ...job, clientId: 'c2' })).toEqual({ kind: 'unsent', cause });
    expect(opener.open({ ...job, origin: 'https://b.test' })).toEqual({ kind: 'unsent', cause });
    expect(opener.open({ ...job, headers: null, url: job.url.replace('a.test', 'b.test') })).toEqual({
      kind: 'unsent',
      cause,
    });
  });

  it('is not sent without its key, but is sent while the key is being replaced', () => {
    const job = sealedJob({ authorization: 'Bearer team-a' });
    expect(openerOf(createSecretBox([newer, older])).open(job).kind).toBe('opened');
    const causes = [createSecretBox([newer]), createSecretBox([])].map((other) => openerOf(other).open(job));
    expect(causes).toEqual([
      { kind: 'unsent', cause: 'its secrets cannot be opened: unknown-key' },
      { kind: 'unsent', cause: 'its secrets cannot be opened: no-key' },
    ]);
  });
});
