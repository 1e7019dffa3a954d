import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { isPlain, usersTextOf } from '../../../shared/domain/step/users-text.ts';
import type { BatchAnswer } from './batch-endpoint.port.ts';
import type { RequestedUsers } from './user-results.ts';
import { readExpectedAnswer } from './expected-answer.ts';
import { readPlainAnswer } from './plain-answer.ts';
import { readAnswer, type AnswerTerms, type Reading } from './read-answer.ts';

const requested = ['u1', 'u2', 'u3'];
const terms: AnswerTerms = { answerForm: 'full', unavailableMeansNotApplied: false };
const everybody = { failed: [], missing: [], unexpected: 0, repeated: 0 };
const outOfStock = { id: 'u2', code: 'out-of-stock', detail: null, retryable: false };

function answered(
  status: number,
  body: unknown,
  retryAfterMs: number | null = null,
  contentEncoding?: string,
): BatchAnswer {
  return { kind: 'answered', status, retryAfterMs, contentEncoding, body: bytesOf(body) };
}

/** Returns the bytes of a string, or of anything else as JSON. */
function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function requestedFor(ids: readonly string[]): RequestedUsers {
  const users = usersTextOf(ids);
  return { users, count: ids.length, plain: isPlain(users) };
}

function read(answer: BatchAnswer, ids: readonly string[] = requested): Reading {
  return readAnswer(terms, requestedFor(ids), answer);
}

const succeeded = (id: string) => ({ id, status: 'succeeded' });
const failedU2 = { id: 'u2', status: 'failed', code: 'out-of-stock' };

describe('an answer in the full form', () => {
  const reported = (results: unknown[]) => read(answered(200, { results }));

  it('reports that all users succeeded', () => {
    expect(reported(requested.map(succeeded))).toEqual({ kind: 'reported', ...everybody });
  });

  it('reports which users failed, with code, message and retryable flag', () => {
    const failure = { ...failedU2, message: 'none\u0000 left', retryable: true };
    expect(reported([succeeded('u1'), failure, succeeded('u3')])).toEqual({
      kind: 'reported',
      ...everybody,
      failed: [{ ...outOfStock, detail: 'none left', retryable: true }],
    });
  });

  it('is read in any order and with unknown fields', () => {
    const results = [{ ...succeeded('u3'), points: { given: 5 } }, failedU2, succeeded('u1')];
    expect(reported(results)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock] });
  });

  it('is read in the same way with status 202 as with status 200', () => {
    expect(read(answered(202, { results: requested.map(succeeded) }))).toMatchObject({ kind: 'reported', missing: [] });
  });

  it('reports users as missing if it does not list them', () => {
    expect(reported([succeeded('u1'), succeeded('u3')])).toMatchObject({ missing: ['u2'], failed: [] });
  });

  it('reports a user with two different results as missing, and counts repeated entries', () => {
    const results = [...requested.map(succeeded), failedU2, succeeded('u1')];
    expect(reported(results)).toMatchObject({ missing: ['u2'], failed: [], repeated: 2 });
  });

  it('reports a user as missing who is listed both as retryable and as not retryable', () => {
    const results = [succeeded('u1'), failedU2, { ...failedU2, retryable: true }, succeeded('u3')];
    expect(reported(results)).toMatchObject({ missing: ['u2'], failed: [] });
  });

  it('reports a user with an unknown status as missing', () => {
    expect(reported([succeeded('u1'), { id: 'u2', status: 'ok' }, succeeded('u3')])).toMatchObject({ missing: ['u2'] });
  });

  it('counts users that were not in the request as unexpected and ignores them', () => {
    expect(reported([...requested.map(succeeded), succeeded('u9')])).toEqual({
      kind: 'reported',
      ...everybody,
      unexpected: 1,
    });
  });

  it('is read for the other users if one entry is malformed', () => {
    expect(reported([succeeded('u1'), null, { status: 'failed' }, succeeded('u3')])).toMatchObject({ missing: ['u2'] });
  });

  it('is read as if malformed optional fields were absent', () => {
    const failure = { id: 'u2', status: 'failed', code: null, message: null, retryable: null };
    expect(reported([{ ...succeeded('u1'), code: null }, failure, succeeded('u3')])).toEqual({
      kind: 'reported',
      ...everybody,
      failed: [{ ...outOfStock, code: 'unspecified' }],
    });
  });

  it('takes precedence if a body has both forms', () => {
    const both = { succeeded: 3, failed: [], results: [succeeded('u1'), failedU2, succeeded('u3')] };
    expect(read(answered(200, both))).toMatchObject({ failed: [outOfStock] });
  });
});

describe('an answer in the compact form', () => {
  const reported = (answer: unknown) =>
    readAnswer({ ...terms, answerForm: 'compact' }, requestedFor(requested), answered(200, answer));

  it('reports that all users succeeded', () => {
    expect(reported({ succeeded: 3, failed: [] })).toEqual({ kind: 'reported', ...everybody });
  });

  it('reports which users failed', () => {
    const answer = { succeeded: 2, failed: [{ id: 'u2', code: 'out-of-stock' }] };
    expect(reported(answer)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock] });
  });

  it('counts only for the listed users if its numbers do not add up', () => {
    const answer = { succeeded: 3, failed: [{ id: 'u2', code: 'out-of-stock' }] };
    expect(reported(answer)).toEqual({
      kind: 'reported',
      failed: [outOfStock],
      missing: ['u1', 'u3'],
      unexpected: 0,
      repeated: 0,
    });
  });

  it('counts a user who is listed twice once', () => {
    const answer = { succeeded: 2, failed: [{ id: 'u2', code: 'out-of-stock' }, { id: 'u2' }] };
    expect(reported(answer)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock], repeated: 1 });
  });

  it('counts users that were not in the request as unexpected and ignores them', () => {
    expect(reported({ succeeded: 3, failed: [{ id: 'u9' }] })).toEqual({
      kind: 'reported',
      ...everybody,
      unexpected: 1,
    });
  });

  it('is read even if the full form was requested', () => {
    expect(read(answered(200, { succeeded: 3, failed: [] }))).toEqual({ kind: 'reported', ...everybody });
  });
});

describe('an HTTP answer to a batch call', () => {
  it.each([400, 413, 422])('with status %i refuses the batch', (status) => {
    const tooLarge = status === 413;
    expect(read(answered(status, 'no'))).toMatchObject({ kind: 'refused', code: `http-${status}`, tooLarge });
    expect(read(answered(status, { code: 'bad user!' }))).toMatchObject({ kind: 'refused', code: 'baduser' });
  });

  it.each([
    [301, '301 Moved Permanently'],
    [307, '307 Temporary Redirect'],
    [401, '401 Unauthorized'],
    [403, '403 Forbidden'],
    [404, '404 Not Found'],
    [405, '405 Method Not Allowed'],
    [410, '410 Gone'],
    [415, '415 Unsupported Media Type'],
    [501, '501 Not Implemented'],
  ])('with status %i is a fault of configuration with the cause "%s"', (status, cause) => {
    expect(read(answered(status, ''))).toEqual({ kind: 'misconfigured', cause });
  });

  it('with the code key-reused is a fault of configuration', () => {
    expect(read(answered(422, { code: 'key-reused' }))).toMatchObject({ kind: 'misconfigured' });
  });

  it.each([409, 425, 429, 503])('with status %i and Retry-After means that the call was not applied', (status) => {
    expect(read(answered(status, '', 7000))).toMatchObject({ kind: 'not-applied', retryAfterMs: 7000 });
  });

  it('with status 503 means that the call was not applied only if the action type promises that', () => {
    expect(read(answered(503, ''))).toMatchObject({ kind: 'ambiguous', cause: '503 Service Unavailable' });
    const promised = { ...terms, unavailableMeansNotApplied: true };
    expect(readAnswer(promised, requestedFor(requested), answered(503, ''))).toMatchObject({ kind: 'not-applied' });
  });

  it.each([200, 201, 202, 206, 299])('with status %i reports the users by its body', (status) => {
    expect(read(answered(status, { results: requested.map(succeeded) }))).toMatchObject({
      kind: 'reported',
      missing: [],
    });
  });

  it('with a compression that was not requested is ambiguous, and violates the contract', () => {
    const encoded = (encoding: string) => read(answered(200, { succeeded: 3, failed: [] }, null, encoding));
    expect(encoded('gzip')).toMatchObject({ kind: 'ambiguous', violation: 'compressed' });
    expect(encoded('identity')).toMatchObject({ kind: 'reported' });
  });

  it.each(['', 'accepted', '{"accepted":3}'])('with status 202 and the body %j is ambiguous', (body) => {
    expect(read(answered(202, body))).toMatchObject({ kind: 'ambiguous' });
  });

  it.each([202, 204, 402, 408, 418, 500, 502, 503, 504])('with status %i and no body is ambiguous', (status) => {
    expect(read(answered(status, ''))).toMatchObject({ kind: 'ambiguous' });
  });

  it.each(['', 'garbage', '{"results":', '[]', 'null', '{"succeeded":3}', '{"results":{}}'])(
    'with status 200 and the body %j is ambiguous',
    (body) => {
      expect(read(answered(200, body))).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it('has the prefix "muster." in an endpoint\'s codes replaced, and its messages cut to 500 characters', () => {
    const failure = { id: 'u2', status: 'failed', code: 'muster.no-result', message: 'x'.repeat(600) };
    const reading = read(answered(200, { results: [succeeded('u1'), failure, succeeded('u3')] }));
    expect(reading).toMatchObject({ failed: [{ code: 'muster-no-result', detail: 'x'.repeat(500) }] });
  });
});

const oddId = fc.oneof(
  fc.string({ minLength: 1, unit: 'grapheme' }),
  fc.constantFrom(',', '",', '","', '\\', '"', 'a b', '50%', '🚲', '}', '{"id":"', '"},{"id":"', ']}', 'u1', 'u11'),
);
const idLists = fc.uniqueArray(oddId, { minLength: 1, maxLength: 20 });
const oddText = fc.oneof(fc.constantFrom('}', '"},{"id":"u1","status":"succeeded"}', '\\', ']}'), fc.string());

/** Generates an endpoint's entry for one user. Most entries are valid. */
const spoiling = fc.oneof(
  { weight: 12, arbitrary: fc.constant('succeeded') },
  { weight: 4, arbitrary: fc.constant('failed') },
  {
    weight: 1,
    arbitrary: fc.constantFrom('left out', 'unknown word', 'twice', 'unexpected', 'in contradiction', 'null'),
  },
);

const spoils = fc.array(spoiling, { minLength: 20, maxLength: 20 });

function entriesOf(id: string, spoilt: string, text: string): unknown[] {
  const failure = { id, status: 'failed', code: text, message: text };
  switch (spoilt) {
    case 'failed':
      return [failure];
    case 'left out':
      return [];
    case 'unknown word':
      return [{ id, status: text }];
    case 'twice':
      return [failure, failure];
    case 'unexpected':
      return [succeeded(id), succeeded(`${id}!`)];
    case 'in contradiction':
      return [succeeded(id), failure];
    case 'null':
      return [{ ...failure, code: null, extra: { nested: {} } }];
    default:
      return [succeeded(id)];
  }
}

describe('the fast parser of answers', () => {
  it('returns the same result as the general parser, or declines', () => {
    fc.assert(
      fc.property(idLists, spoils, oddText, (ids, spoilt, text) => {
        const results = ids.flatMap((id, i) => entriesOf(id, spoilt[i] ?? 'succeeded', text));
        const body = bytesOf({ results });
        const fast = readExpectedAnswer('full', requestedFor(ids), body);
        if (fast) expect(fast).toEqual(readPlainAnswer(ids, body));
      }),
      { numRuns: 2000 },
    );
  });

  it('returns the same result as the general parser, or declines, for damaged text', () => {
    const damage = fc.tuple(fc.nat(2000), fc.nat(2000), fc.constantFrom('', 'x', '"', '}', ',', '{"id":"u1"}'));
    fc.assert(
      fc.property(idLists, spoils, damage, (ids, spoilt, [from, length, put]) => {
        const whole = JSON.stringify({
          results: ids.flatMap((id, i) => entriesOf(id, spoilt[i] ?? 'succeeded', 'code')),
        });
        const at = from % whole.length;
        const body = bytesOf(whole.slice(0, at) + put + whole.slice(at + (length % 40)));
        const fast = readExpectedAnswer('full', requestedFor(ids), body);
        if (fast) expect(fast).toEqual(readPlainAnswer(ids, body));
      }),
      { numRuns: 2000 },
    );
  });

  it('reads a well-formed answer with failures', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `user-${i}`);
    const results = ids.map((id, i) => (i % 25 === 0 ? { ...failedU2, id } : succeeded(id)));
    const failed = [0, 25, 50, 75].map((i) => ({ ...outOfStock, id: `user-${i}` }));
    expect(readExpectedAnswer('full', requestedFor(ids), bytesOf({ results }))).toEqual({ ...everybody, failed });
  });

  it('returns the same result as the general parser, or declines, for compact answers', () => {
    const body = fc.constantFrom(
      '{"succeeded":3,"failed":[]}',
      '{"succeeded":2,"failed":[]}',
      '{"failed":[],"succeeded":3}',
    );
    fc.assert(
      fc.property(body, (text) => {
        const fast = readExpectedAnswer('compact', requestedFor(requested), bytesOf(text));
        if (fast) expect(fast).toEqual(readPlainAnswer(requested, bytesOf(text)));
      }),
    );
  });

  it('falls back to the general parser for ids with escape sequences', () => {
    const ids = ['say "hi"', 'back\\slash', 'plain'];
    const body = { results: ids.map((id) => (id === 'back\\slash' ? { ...failedU2, id } : succeeded(id))) };
    expect(read(answered(200, body), ids)).toMatchObject({ failed: [{ id: 'back\\slash' }], missing: [] });
  });
});
