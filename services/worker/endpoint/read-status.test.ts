import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import type { BatchAnswer } from './batch-endpoint.port.ts';
import { readStatus } from './read-status.ts';

const requested = ['u1', 'u2', 'u3'];

function answered(status: number, body: unknown, contentEncoding?: string): BatchAnswer {
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { kind: 'answered', status, retryAfterMs: null, contentEncoding, body: bytes };
}

function statusesIn(results: readonly unknown[]) {
  const read = readStatus(requested, answered(200, { results }));
  return read.kind === 'answered' ? Object.fromEntries(read.statuses) : read;
}

const succeeded = { status: 'succeeded', code: 'unspecified', retryable: false };

describe('the answer to a status request', () => {
  it('reports a status for each user, in any order', () => {
    const results = [
      { id: 'u3', status: 'not-found' },
      { id: 'u1', status: 'succeeded' },
      { id: 'u2', status: 'failed', code: 'out of stock!', retryable: true },
    ];
    expect(statusesIn(results)).toEqual({
      u1: succeeded,
      u2: { status: 'failed', code: 'outofstock', retryable: true },
      u3: { ...succeeded, status: 'not-found' },
    });
  });

  it('omits users that are not listed, have an unknown status, or are listed with different statuses', () => {
    const results = [
      { id: 'u1', status: 'done' },
      { id: 'u2', status: 'not-found' },
      { id: 'u2', status: 'succeeded' },
      { id: 'u2', status: 'not-found' },
    ];
    expect(statusesIn(results)).toEqual({});
  });

  it('is read for the other users if an entry is malformed or contains an unexpected user', () => {
    expect(statusesIn([null, { id: 7 }, { id: 'u9', status: 'succeeded' }, { id: 'u1', status: 'succeeded' }])).toEqual(
      {
        u1: succeeded,
      },
    );
  });

  it('counts a repeated entry once', () => {
    expect(
      statusesIn([
        { id: 'u1', status: 'succeeded' },
        { id: 'u1', status: 'succeeded', code: null },
      ]),
    ).toEqual({
      u1: succeeded,
    });
  });

  it.each<[string, BatchAnswer]>([
    ['500', answered(500, '')],
    ['404', answered(404, { results: [] })],
    ['a redirect', answered(302, '')],
    ['garbage', answered(200, '<html>')],
    ['a body without a list', answered(200, { results: {} })],
    ['a batch answer of the compact form', answered(200, { succeeded: 3, failed: [] })],
    ['a compressed body', answered(200, { results: [] }, 'gzip')],
    ['no answer', { kind: 'ambiguous', cause: 'no whole answer within 1000 ms' }],
    ['a refused connection', { kind: 'not-applied', cause: 'connection refused' }],
  ])('with %s reports no status', (_name, answer) => {
    const read = readStatus(requested, answer);
    expect(read).toMatchObject({ kind: 'unanswered' });
    expect(read.kind === 'unanswered' && read.cause).toMatch(/^status: /);
  });

  it('reports statuses of the requested users only, for any body', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ id: fc.constantFrom('u1', 'u2', 'x'), status: fc.string() })), (results) => {
        for (const id of Object.keys(statusesIn(results))) expect(requested).toContain(id);
      }),
    );
  });
});
