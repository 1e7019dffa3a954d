import { fc } from '../../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { isPlain, usersTextOf } from '../../../shared/domain/step/users-text.ts';
import type { BatchAnswer } from './batch-endpoint.port.ts';
import type { AskedUsers } from './user-results.ts';
import { readExpectedAnswer } from './expected-answer.ts';
import { readPlainAnswer } from './plain-answer.ts';
import { readAnswer, type AnswerTerms, type Reading } from './read-answer.ts';

const asked = ['u1', 'u2', 'u3'];
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

/** A string as it is, anything else as JSON. */
function bytesOf(body: unknown): Buffer {
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function askedFor(ids: readonly string[]): AskedUsers {
  const users = usersTextOf(ids);
  return { users, count: ids.length, plain: isPlain(users) };
}

function read(answer: BatchAnswer, ids: readonly string[] = asked): Reading {
  return readAnswer(terms, askedFor(ids), answer);
}

const succeeded = (id: string) => ({ id, status: 'succeeded' });
const failedU2 = { id: 'u2', status: 'failed', code: 'out-of-stock' };

describe('an answer in the full form', () => {
  const reported = (results: unknown[]) => read(answered(200, { results }));

  it('tells that everybody succeeded', () => {
    expect(reported(asked.map(succeeded))).toEqual({ kind: 'reported', ...everybody });
  });

  it('tells who failed, and why', () => {
    const failure = { ...failedU2, message: 'none\u0000 left', retryable: true };
    expect(reported([succeeded('u1'), failure, succeeded('u3')])).toEqual({
      kind: 'reported',
      ...everybody,
      failed: [{ ...outOfStock, detail: 'none left', retryable: true }],
    });
  });

  it('may come in any order, with fields that nobody knows', () => {
    const results = [{ ...succeeded('u3'), points: { given: 5 } }, failedU2, succeeded('u1')];
    expect(reported(results)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock] });
  });

  it('may be accepted instead of done', () => {
    expect(read(answered(202, { results: asked.map(succeeded) }))).toMatchObject({ kind: 'reported', missing: [] });
  });

  it('leaves missing whom it leaves out', () => {
    expect(reported([succeeded('u1'), succeeded('u3')])).toMatchObject({ missing: ['u2'], failed: [] });
  });

  it('leaves missing whom it tells in contradiction, and takes a repeat for what it is', () => {
    const results = [...asked.map(succeeded), failedU2, succeeded('u1')];
    expect(reported(results)).toMatchObject({ missing: ['u2'], failed: [], repeated: 2 });
  });

  it('leaves missing who is both to be retried and not to be', () => {
    const results = [succeeded('u1'), failedU2, { ...failedU2, retryable: true }, succeeded('u3')];
    expect(reported(results)).toMatchObject({ missing: ['u2'], failed: [] });
  });

  it('leaves missing whom it tells with a word nobody knows', () => {
    expect(reported([succeeded('u1'), { id: 'u2', status: 'ok' }, succeeded('u3')])).toMatchObject({ missing: ['u2'] });
  });

  it('has unexpected passed over and counted', () => {
    expect(reported([...asked.map(succeeded), succeeded('u9')])).toEqual({
      kind: 'reported',
      ...everybody,
      unexpected: 1,
    });
  });

  it('spoils nothing for the others with a malformed entry', () => {
    expect(reported([succeeded('u1'), null, { status: 'failed' }, succeeded('u3')])).toMatchObject({ missing: ['u2'] });
  });

  it('counts what is malformed beside id and status as absent', () => {
    const failure = { id: 'u2', status: 'failed', code: null, message: null, retryable: null };
    expect(reported([{ ...succeeded('u1'), code: null }, failure, succeeded('u3')])).toEqual({
      kind: 'reported',
      ...everybody,
      failed: [{ ...outOfStock, code: 'unspecified' }],
    });
  });

  it('wins where both forms come', () => {
    const both = { succeeded: 3, failed: [], results: [succeeded('u1'), failedU2, succeeded('u3')] };
    expect(read(answered(200, both))).toMatchObject({ failed: [outOfStock] });
  });
});

describe('an answer in the compact form', () => {
  const reported = (answer: unknown) =>
    readAnswer({ ...terms, answerForm: 'compact' }, askedFor(asked), answered(200, answer));

  it('tells that everybody succeeded', () => {
    expect(reported({ succeeded: 3, failed: [] })).toEqual({ kind: 'reported', ...everybody });
  });

  it('tells who failed', () => {
    const answer = { succeeded: 2, failed: [{ id: 'u2', code: 'out-of-stock' }] };
    expect(reported(answer)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock] });
  });

  it('holds for the listed users only, where its numbers do not add up', () => {
    const answer = { succeeded: 3, failed: [{ id: 'u2', code: 'out-of-stock' }] };
    expect(reported(answer)).toEqual({
      kind: 'reported',
      failed: [outOfStock],
      missing: ['u1', 'u3'],
      unexpected: 0,
      repeated: 0,
    });
  });

  it('counts a user that is listed twice once', () => {
    const answer = { succeeded: 2, failed: [{ id: 'u2', code: 'out-of-stock' }, { id: 'u2' }] };
    expect(reported(answer)).toEqual({ kind: 'reported', ...everybody, failed: [outOfStock], repeated: 1 });
  });

  it('has unexpected passed over, who do not count', () => {
    expect(reported({ succeeded: 3, failed: [{ id: 'u9' }] })).toEqual({
      kind: 'reported',
      ...everybody,
      unexpected: 1,
    });
  });

  it('is understood where the full form was expected', () => {
    expect(read(answered(200, { succeeded: 3, failed: [] }))).toEqual({ kind: 'reported', ...everybody });
  });
});

describe('a whole answer', () => {
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
  ])('with status %i is a fault of configuration or of parameters, which people read as %s', (status, cause) => {
    expect(read(answered(status, ''))).toEqual({ kind: 'misconfigured', cause });
  });

  it('that says our key was used for other bytes is a fault of configuration', () => {
    expect(read(answered(422, { code: 'key-reused' }))).toMatchObject({ kind: 'misconfigured' });
  });

  it.each([409, 425, 429, 503])('with status %i and a time to wait was not applied', (status) => {
    expect(read(answered(status, '', 7000))).toMatchObject({ kind: 'not-applied', retryAfterMs: 7000 });
  });

  it('of an endpoint that is unavailable was not applied where its action type promises that', () => {
    expect(read(answered(503, ''))).toMatchObject({ kind: 'ambiguous', cause: '503 Service Unavailable' });
    const promised = { ...terms, unavailableMeansNotApplied: true };
    expect(readAnswer(promised, askedFor(asked), answered(503, ''))).toMatchObject({ kind: 'not-applied' });
  });

  it.each([200, 201, 202, 206, 299])('with status %i speaks of the users by its body', (status) => {
    expect(read(answered(status, { results: asked.map(succeeded) }))).toMatchObject({ kind: 'reported', missing: [] });
  });

  it('that is compressed, though that was not asked for, is ambiguous and breaks the contract', () => {
    const encoded = (encoding: string) => read(answered(200, { succeeded: 3, failed: [] }, null, encoding));
    expect(encoded('gzip')).toMatchObject({ kind: 'ambiguous', violation: 'compressed' });
    expect(encoded('identity')).toMatchObject({ kind: 'reported' });
  });

  it.each(['', 'accepted', '{"accepted":3}'])(
    'of 202 with the body %j says nothing of the users: ambiguous',
    (body) => {
      expect(read(answered(202, body))).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it.each([202, 204, 402, 408, 418, 500, 502, 503, 504])('with status %i and no body is ambiguous', (status) => {
    expect(read(answered(status, ''))).toMatchObject({ kind: 'ambiguous' });
  });

  it.each(['', 'garbage', '{"results":', '[]', 'null', '{"succeeded":3}', '{"results":{}}'])(
    'with the body %j is ambiguous',
    (body) => {
      expect(read(answered(200, body))).toMatchObject({ kind: 'ambiguous' });
    },
  );

  it('never passes off a code of its own for one of ours', () => {
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

/** What an endpoint may make of one user's entry: mostly what it should. */
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

describe('the fast route', () => {
  it('concludes what the plain route does, or nothing', () => {
    fc.assert(
      fc.property(idLists, spoils, oddText, (ids, spoilt, text) => {
        const results = ids.flatMap((id, i) => entriesOf(id, spoilt[i] ?? 'succeeded', text));
        const body = bytesOf({ results });
        const fast = readExpectedAnswer('full', askedFor(ids), body);
        if (fast) expect(fast).toEqual(readPlainAnswer(ids, body));
      }),
      { numRuns: 2000 },
    );
  });

  it('concludes nothing from a text that was cut, doubled or changed somewhere, unless the plain route agrees', () => {
    const damage = fc.tuple(fc.nat(2000), fc.nat(2000), fc.constantFrom('', 'x', '"', '}', ',', '{"id":"u1"}'));
    fc.assert(
      fc.property(idLists, spoils, damage, (ids, spoilt, [from, length, put]) => {
        const whole = JSON.stringify({
          results: ids.flatMap((id, i) => entriesOf(id, spoilt[i] ?? 'succeeded', 'code')),
        });
        const at = from % whole.length;
        const body = bytesOf(whole.slice(0, at) + put + whole.slice(at + (length % 40)));
        const fast = readExpectedAnswer('full', askedFor(ids), body);
        if (fast) expect(fast).toEqual(readPlainAnswer(ids, body));
      }),
      { numRuns: 2000 },
    );
  });

  it('is the one that is taken for a well-written answer, with failures too', () => {
    const ids = Array.from({ length: 100 }, (_, i) => `user-${i}`);
    const results = ids.map((id, i) => (i % 25 === 0 ? { ...failedU2, id } : succeeded(id)));
    const failed = [0, 25, 50, 75].map((i) => ({ ...outOfStock, id: `user-${i}` }));
    expect(readExpectedAnswer('full', askedFor(ids), bytesOf({ results }))).toEqual({ ...everybody, failed });
  });

  it('reads compact answers as the plain route does', () => {
    const body = fc.constantFrom(
      '{"succeeded":3,"failed":[]}',
      '{"succeeded":2,"failed":[]}',
      '{"failed":[],"succeeded":3}',
    );
    fc.assert(
      fc.property(body, (text) => {
        const fast = readExpectedAnswer('compact', askedFor(asked), bytesOf(text));
        if (fast) expect(fast).toEqual(readPlainAnswer(asked, bytesOf(text)));
      }),
    );
  });

  it('is not taken for ids that need escapes, which the plain route reads', () => {
    const ids = ['say "hi"', 'back\\slash', 'plain'];
    const body = { results: ids.map((id) => (id === 'back\\slash' ? { ...failedU2, id } : succeeded(id))) };
    expect(read(answered(200, body), ids)).toMatchObject({ failed: [{ id: 'back\\slash' }], missing: [] });
  });
});
