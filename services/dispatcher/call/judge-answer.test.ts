import { describe, expect, it } from 'vitest';
import { judgeAnswer, signOf } from './judge-answer.ts';
import type { CallbackAnswer } from '../ports/callback-endpoint.ts';

const answered = (status: number, retryAfterMs: number | null = null, body = ''): CallbackAnswer => ({
  kind: 'answered',
  status,
  retryAfterMs,
  body: Buffer.from(body),
});
const terms = {
  retries: { strategy: 'fixed', attempts: 3, delayMs: 1000 },
  onGone: 'dead-letter',
  finalCodes: [],
  reportWithinMs: null,
} as const;
const job = { attempt: 1, expiresInMs: Infinity, lateMs: 50, host: 'one.example' };
const judge = (
  answer: CallbackAnswer,
  of: Partial<typeof job> = {},
  by: Partial<Parameters<typeof judgeAnswer>[2]> = {},
) => judgeAnswer(answer, { ...job, ...of }, { ...terms, ...by }, 0.5);

describe('the verdict on a call', () => {
  it.each([200, 201, 202, 204, 299])('is "called" for the status %i', (status) => {
    expect(judge(answered(status))).toEqual({ kind: 'called' });
  });

  it.each([199, 300, 301, 302, 307, 400, 401, 404, 409, 422, 429, 500, 502, 503])(
    'is a retry for the status %i',
    (status) => {
      expect(judge(answered(status))).toEqual({ kind: 'retry', delayMs: 1000 });
    },
  );

  it('is a retry if there was no response, and the job is dead after the last attempt', () => {
    expect(judge({ kind: 'unanswered', cause: 'connection refused' })).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(judge({ kind: 'unanswered', cause: 'connection refused' }, { attempt: 3 })).toEqual({
      kind: 'dead',
      cause: 'connection refused',
    });
  });

  it('is dead after the last attempt, or after the first one if the client allows no retries', () => {
    expect(judge(answered(500), { attempt: 3 })).toEqual({ kind: 'dead', cause: 'status 500' });
    expect(judge(answered(500), {}, { retries: { strategy: 'none' } })).toEqual({ kind: 'dead', cause: 'status 500' });
  });

  it("is to wait for a report after a 202, for the client's time limit or the shorter one in the response", () => {
    const within = { reportWithinMs: 60_000 };
    const accepted = (body: string) => judge(answered(202, null, body), {}, within);
    expect(accepted('')).toEqual({ kind: 'reporting', delayMs: 60_000 });
    expect(accepted('{"reportWithinSeconds":5}')).toEqual({ kind: 'reporting', delayMs: 5000 });
    expect(accepted('{"reportWithinSeconds":600}')).toEqual({ kind: 'reporting', delayMs: 60_000 });
    expect(accepted('{"reportWithinSeconds":-1}')).toEqual({ kind: 'reporting', delayMs: 60_000 });
    expect(judge(answered(200), {}, within)).toEqual({ kind: 'called' });
  });

  it('is dead for a status that the client defines as final', () => {
    expect(judge(answered(422), {}, { finalCodes: [400, 422] })).toEqual({ kind: 'dead', cause: 'status 422' });
    expect(judge(answered(503), {}, { finalCodes: [400, 422] })).toMatchObject({ kind: 'retry' });
  });

  it('delays the retry by Retry-After', () => {
    expect(judge(answered(503, 60_000))).toEqual({ kind: 'retry', delayMs: 60_000 });
  });

  it("is expired if the next call would start after the job's expiry", () => {
    expect(judge(answered(500), { expiresInMs: 1000 })).toEqual({ kind: 'expired' });
    expect(judge(answered(503, 60_000), { expiresInMs: 59_000 })).toEqual({ kind: 'expired' });
    expect(judge(answered(500), { expiresInMs: 1001 })).toMatchObject({ kind: 'retry' });
  });

  it('is dead for a 410, or sidelines the host if the client has configured that', () => {
    expect(judge(answered(410))).toEqual({ kind: 'dead', cause: 'status 410' });
    expect(judge(answered(410), {}, { onGone: 'sideline' })).toEqual({ kind: 'sidelined', host: 'one.example' });
  });

  const silent: CallbackAnswer = { kind: 'unresolved', cause: 'host name cannot be looked up now', isFinal: false };

  it('is a release without a counted attempt, delayed by up to a minute, if no name server answers', () => {
    const waits = [50, 1000, 20_000, 600_000].map((lateMs) => judge(silent, { lateMs, attempt: 3 }));
    expect(waits).toEqual([750, 750, 15_000, 45_000].map((delayMs) => ({ kind: 'released', delayMs })));
    expect(judge(silent, { lateMs: 20_000, expiresInMs: 15_000 })).toEqual({ kind: 'expired' });
  });

  it('is a retry for an unknown name, or after an hour without a name server', () => {
    const cause = 'host name not found';
    const none: CallbackAnswer = { kind: 'unresolved', cause, isFinal: true };
    expect(judge(silent, { lateMs: 3_600_000 })).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(judge(none)).toEqual({ kind: 'retry', delayMs: 1000 });
    expect(judge(none, { attempt: 3 })).toEqual({ kind: 'dead', cause });
  });

  it('is a release for a call that could not be sent, and dead after an hour', () => {
    const unsent: CallbackAnswer = { kind: 'unsent', cause: 'no key' };
    expect(judge(unsent, { lateMs: 20_000, attempt: 3 })).toEqual({ kind: 'released', delayMs: 15_000 });
    expect(judge(unsent, { lateMs: 3_600_000, attempt: 3 })).toEqual({ kind: 'dead', cause: 'no key' });
  });

  it('is dead for a forbidden address', () => {
    const cause = 'address that may not be called';
    expect(judge({ kind: 'forbidden', cause })).toEqual({ kind: 'dead', cause });
  });
});

it.each([
  [answered(200), 'answers'],
  [answered(404), 'answers'],
  [answered(429), 'fails'],
  [answered(500), 'fails'],
  [answered(410), 'gone'],
  [{ kind: 'unanswered', cause: 'x' }, 'fails'],
  [{ kind: 'unresolved', cause: 'x', isFinal: true }, 'none'],
  [{ kind: 'unresolved', cause: 'x', isFinal: false }, 'none'],
  [{ kind: 'unsent', cause: 'x' }, 'none'],
  [{ kind: 'forbidden', cause: 'x' }, 'none'],
] as const)('the answer %o is counted for the circuit of its host as: %s', (answer, sign) => {
  expect(signOf(answer)).toBe(sign);
});
