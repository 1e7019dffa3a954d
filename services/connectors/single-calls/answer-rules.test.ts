import { describe, expect, it } from 'vitest';
import { readAnswer } from './answer-rules.ts';
import type { AnswerRule } from '../presets/api-call.contract.ts';

interface Given {
  status: number;
  body?: unknown;
  retryAfter?: string;
  answers?: readonly AnswerRule[];
  perUser?: { list: string; id?: string };
  users?: readonly string[];
}

function read({ status, body = {}, retryAfter, answers = [], perUser, users = ['u1'] }: Given) {
  const answer = {
    kind: 'answered' as const,
    status,
    retryAfterMs: retryAfter === undefined ? null : Number(retryAfter) * 1000,
    body: Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
  };
  return readAnswer(answer, users, { answers, perUser });
}

describe('an answer without a rule', () => {
  it.each([
    [200, undefined, { is: 'succeeded' }],
    [204, undefined, { is: 'succeeded' }],
    [302, undefined, { is: 'misconfigured' }],
    [400, undefined, { is: 'refused', code: 'http-400' }],
    [401, undefined, { is: 'misconfigured' }],
    [404, undefined, { is: 'misconfigured' }],
    [409, undefined, { is: 'unknown' }],
    [409, '1', { is: 'retryable', code: 'http-409' }],
    [418, undefined, { is: 'unknown' }],
    [429, undefined, { is: 'retryable', code: 'http-429' }],
    [500, undefined, { is: 'unknown' }],
    [503, undefined, { is: 'unknown' }],
    [503, '30', { is: 'retryable', code: 'http-503' }],
  ])('has the meaning that the contract gives it, for status %i with Retry-After %s', (status, retryAfter, meaning) => {
    expect(read({ status, ...(retryAfter !== undefined && { retryAfter }) })).toEqual([meaning]);
  });
});

describe('rules for answers', () => {
  it('are tried in their order', () => {
    const answers: AnswerRule[] = [
      { status: 400, path: 'code', equals: [21_610, 21_211], is: 'failed', code: 'no-number' },
      { status: '4xx', is: 'failed', codePath: 'code' },
    ];
    expect(read({ status: 400, body: { code: 21_211 }, answers })).toEqual([{ is: 'refused', code: 'no-number' }]);
    expect(read({ status: 404, body: { code: 'not found!' }, answers })).toEqual([
      { is: 'refused', code: 'not-found-' },
    ]);
    expect(read({ status: 404, body: 'no JSON', answers })).toEqual([{ is: 'refused', code: 'http-404' }]);
    expect(read({ status: 200, answers })).toEqual([{ is: 'succeeded' }]);
  });

  it('find a value in any entry of a list', () => {
    const answers: AnswerRule[] = [
      { path: 'error.details.*.errorCode', equals: 'UNREGISTERED', is: 'failed', code: 'gone' },
    ];
    const details = [{ '@type': 'x' }, { errorCode: 'UNREGISTERED' }];
    expect(read({ status: 404, body: { error: { details } }, answers })).toEqual([{ is: 'refused', code: 'gone' }]);
  });

  it('may apply to the users in a list of the answer', () => {
    const answers: AnswerRule[] = [{ listed: 'errors.invalid', is: 'failed', code: 'no-device' }];
    const users = ['u1', 'u2', '3'];
    expect(read({ status: 200, body: { errors: { invalid: ['u2', 3] } }, answers, users })).toEqual([
      { is: 'succeeded' },
      { is: 'failed', code: 'no-device' },
      { is: 'failed', code: 'no-device' },
    ]);
  });

  it('read the entry of each user, and a user without an entry is unknown', () => {
    const answers: AnswerRule[] = [
      { path: 'ok', equals: true, is: 'succeeded' },
      { path: 'ok', equals: false, is: 'failed', codePath: 'why' },
    ];
    const list = [
      { id: 'u2', ok: false, why: 'full' },
      { id: 'u1', ok: true },
    ];
    const users = ['u1', 'u2', 'u3'];
    const perUser = { list: 'results', id: 'id' };
    expect(read({ status: 200, body: { results: list }, answers, users, perUser })).toEqual([
      { is: 'succeeded' },
      { is: 'failed', code: 'full' },
      { is: 'unknown' },
    ]);
    expect(
      read({ status: 200, body: { results: list }, answers, users: ['u2', 'u1'], perUser: { list: 'results' } }),
    ).toEqual([{ is: 'failed', code: 'full' }, { is: 'succeeded' }]);
    expect(read({ status: 429, answers, users: ['u1'], perUser })).toEqual([{ is: 'retryable', code: 'http-429' }]);
  });
});
