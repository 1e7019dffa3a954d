import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { compactAnswer, fullAnswer } from '../../shared/contracts/endpoints/batch-actions.ts';
import { systemClock } from '../../shared/runtime/system-clock.ts';
import { createAnswersByKey } from './effects/answers-by-key.ts';
import { createBatchService } from './batch-service.ts';
import { failuresOf, failureWords } from './wire/chance.ts';
import { faultRules } from './faults/fault-rules.ts';
import { createFaultSwitches } from './faults/fault-switches.ts';
import type { ServiceSettings } from './config.ts';
import type { EffectStore } from './effects/effects.ts';
import type { LedgerLine } from './ledger/ledger.ts';
import { createResultsByUser } from './effects/results-by-user.ts';
import { createSegments } from './segments.ts';
import { createWithoutMemory } from './effects/without-memory.ts';

const refusal = z.object({ code: z.string(), message: z.string() });
const users = Array.from({ length: 100 }, (_, i) => `sg-${String(i + 1).padStart(9, '0')}`);
const segments = createSegments([{ id: 'riders', size: 100, ids: 'plain' }], [{ country: 'SG', weight: 1 }]);

function createSubject(settings: Partial<ServiceSettings> = {}, effects: EffectStore = createResultsByUser()) {
  const ledger: LedgerLine[] = [];
  const faults = createFaultSwitches(faultRules.parse({}));
  const setFaults = (...calls: object[]) => faults.replace(faultRules.parse({ calls }));
  const service = createBatchService({
    name: 'rewards',
    salt: 'test',
    settings: {
      form: 'full',
      memory: 'users',
      latency: { fromMs: 0, toMs: 0 },
      failureShare: 0,
      retryableShare: 0,
      busyShare: 0,
      noAnswerShare: 0,
      serverErrorShare: 0,
      ...settings,
    },
    successStatus: 200,
    effects,
    faults,
    ledger: { append: (line) => Promise.resolve(void ledger.push(line)), close: () => Promise.resolve() },
    segments,
    clock: systemClock,
  });

  /** Sends one batch. `closes` ends the calls that are still in flight. */
  const closes: (() => void)[] = [];
  const call = async (over: Partial<CallOptions> = {}) => {
    const { key, attempt, headers, body } = { key: 'key-1', attempt: 1, headers: {}, body: bodyOf({}), ...over };
    const all = { 'idempotency-key': key, 'muster-attempt': `${attempt}`, 'muster-mode': 'live', ...headers };
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return await service.answer({ headers: all, body: bytes, onClosed: (listener) => closes.push(listener) });
  };
  return { service, call, ledger, closes, setFaults };
}

interface CallOptions {
  key: string;
  attempt: number;
  headers: Record<string, string>;
  body: object | string;
}

function bodyOf(over: object) {
  const action = { type: 'award-reward', params: { rewardId: 'ride-5', units: 2 } };
  return { campaign: 'cmp_1', run: 'run_1', step: 1, country: 'SG', batch: 1, action, users, ...over };
}

function failedIn(body: string): string[] {
  const { results } = fullAnswer.parse(JSON.parse(body));
  return results.filter(({ status }) => status === 'failed').map(({ id }) => id);
}

describe('the batch service of the sandbox', () => {
  test('answers, in full form, with every user in the order of the call and with the expected failure codes', async () => {
    const { call } = createSubject({ failureShare: 0.2 });
    const failureOf = failuresOf({ salt: 'test', service: 'rewards', failureShare: 0.2 });

    const answer = await call();

    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      results: users.map((id) => {
        const code = failureOf(id);
        if (code === undefined) return { id, status: 'succeeded' };
        return { id, status: 'failed', code, message: failureWords[code] };
      }),
    });
    expect(failedIn(answer.body).length).toBeGreaterThan(0);
  });

  test('answers, in compact form, with the number of successes and the failed users', async () => {
    const { call } = createSubject({ form: 'compact', failureShare: 0.2 });
    const { succeeded, failed } = compactAnswer.parse(JSON.parse((await call()).body));
    expect(failed.length).toBeGreaterThan(0);
    expect(succeeded + failed.length).toBe(users.length);
  });

  test('serves most retryable users if they are called under another key', async () => {
    const { call, ledger } = createSubject({ retryableShare: 0.3 });
    const again = failedIn((await call()).body);
    expect(again.length).toBeGreaterThan(0);

    const second = failedIn((await call({ key: 'key-2', body: bodyOf({ users: again }) })).body);

    expect(second.length).toBeLessThan(again.length);
    expect(ledger.flatMap(({ applied }) => applied).toSorted()).toEqual(
      users.filter((user) => !second.includes(user)).toSorted(),
    );
    expect(ledger.flatMap(({ failed }) => failed)).toEqual([]);
  });

  test('serves users who are not in the segment and counts them as unexpected', async () => {
    const { call, service } = createSubject();
    await call({ body: bodyOf({ users: ['sg-000000001', 'somebody else'] }) });
    expect(service.stats).toMatchObject({ users: 2, applied: 2, unexpected: 1 });
  });
});

describe('a service of contract class A', () => {
  test('applies one effect per user, run and step, under any key', async () => {
    const { call, ledger, service } = createSubject({ failureShare: 0.2 });
    const first = await call();
    const second = await call({ key: 'another-key', body: bodyOf({ batch: 2 }) });

    expect(second).toEqual(first);
    expect(ledger[1]).toMatchObject({ applied: [], failed: [], repeated: 100 });
    expect(service.stats.repeatsSuppressed).toBe(100);
  });

  test('applies separate effects for another step and another run', async () => {
    const { call, service } = createSubject();
    await call();
    await call({ key: 'key-2', body: bodyOf({ step: 2 }) });
    await call({ key: 'key-3', body: bodyOf({ run: 'run_2' }) });
    expect(service.stats).toMatchObject({ applied: 300, repeatsSuppressed: 0 });
  });
});

describe('a service of contract class B', () => {
  test('returns the first answer for a repeated key without a second effect', async () => {
    const { call, ledger } = createSubject({ failureShare: 0.2, retryableShare: 0.1 }, createAnswersByKey());
    const first = await call();
    const second = await call({ attempt: 2 });

    expect(second).toEqual(first);
    expect(ledger[1]).toMatchObject({ attempt: 2, applied: [], failed: [], repeated: 100 });
  });

  test('refuses other bytes under the same key', async () => {
    const { call } = createSubject({}, createAnswersByKey());
    await call();
    const answer = await call({ body: bodyOf({ batch: 2 }) });
    expect(answer.status).toBe(422);
    expect(refusal.parse(JSON.parse(answer.body)).code).toBe('key-reused');
  });

  test('applies a second effect for the same users under another key, and the ledger records it', async () => {
    const { call, ledger } = createSubject({}, createAnswersByKey());
    await call();
    await call({ key: 'key-2' });
    expect(ledger.map(({ applied }) => applied.length)).toEqual([100, 100]);
  });
});

describe('a random fault of a whole call', () => {
  test('applies nothing and answers 503 with Retry-After if its kind is busy', async () => {
    const { call, ledger } = createSubject({ busyShare: 1 });
    const answer = await call();
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    expect(ledger).toEqual([]);
  });

  test.each([
    ['no answer', { noAnswerShare: 1 }, { delivery: { kind: 'reset' } }],
    ['server error', { serverErrorShare: 1 }, { status: 500 }],
  ])('applies the whole batch if its kind is "%s"', async (_name, settings, expected) => {
    const { call, ledger, service } = createSubject(settings);
    const answer = await call();
    expect(answer).toMatchObject(expected);
    expect(ledger[0]?.applied).toEqual(users);
    expect(service.stats.answersLost).toBe(1);
  });
});

describe('a service without memory', () => {
  test('applies every repeated call and records it in the ledger', async () => {
    const { call, ledger } = createSubject({}, createWithoutMemory());
    const first = await call();
    const second = await call({ attempt: 2 });
    expect(second).toEqual(first);
    expect(ledger.map(({ applied, repeated }) => [applied.length, repeated])).toEqual([
      [100, 0],
      [100, 0],
    ]);
  });
});

describe('overlapping calls of one key', () => {
  test('are counted until the earlier call is answered or closed', async () => {
    const { call, ledger, closes, service } = createSubject();
    await call();
    await call({ attempt: 2 });
    for (const close of closes) close();
    await call({ attempt: 3 });
    expect(ledger.map(({ overlapping }) => overlapping)).toEqual([undefined, 1, undefined]);
    expect(service.stats.overlapping).toBe(1);
  });
});

describe('a configured fault rule', () => {
  test('with a status applies nothing, unless it sets "applied"', async () => {
    const { call, ledger, setFaults } = createSubject();
    setFaults({ name: 'busy', answer: { kind: 'status', status: 429, retryAfterSeconds: 3 } });
    expect(await call()).toMatchObject({ status: 429, headers: { 'retry-after': '3' } });
    expect(ledger).toEqual([]);

    setFaults({ name: 'late', answer: { kind: 'status', status: 500, applied: true } });
    expect((await call()).status).toBe(500);
    expect(ledger[0]?.applied).toEqual(users);
  });

  test.each<[string, object]>([
    ['hang', { kind: 'none' }],
    ['reset', { kind: 'reset' }],
    ['half-body', { kind: 'half' }],
  ])('applies the effects, but the answer does not arrive, if its kind is %s', async (kind, delivery) => {
    const { call, ledger, setFaults } = createSubject();
    setFaults({ name: kind, answer: { kind } });
    expect((await call()).delivery).toEqual(delivery);
    expect(ledger[0]?.applied).toEqual(users);
  });

  test('fails the users that it names, or a share of the users', async () => {
    const { call, setFaults } = createSubject();
    setFaults({ name: 'named', answer: { kind: 'fail-users', users: ['sg-000000007'], code: 'out-of-stock' } });
    expect(failedIn((await call()).body)).toEqual(['sg-000000007']);
    setFaults({ name: 'share', answer: { kind: 'fail-users', userShare: 0.3, code: 'out-of-stock' } });
    const failed = failedIn((await call({ key: 'key-2', body: bodyOf({ run: 'run_2' }) })).body);
    expect(failed.length).toBeGreaterThan(10);
    expect(failed.length).toBeLessThan(60);
  });

  test.each<['full' | 'compact', string]>([
    ['full', '{"results":['],
    ['compact', '{"succeeded":99'],
  ])('omits users from an answer in %s form, although they were served', async (form, beginning) => {
    const { call, ledger, setFaults } = createSubject({ form });
    setFaults({ name: 'silence', answer: { kind: 'omit-users', users: ['sg-000000007'] } });
    const { body } = await call();
    expect(body.startsWith(beginning)).toBe(true);
    expect(body).not.toContain('sg-000000007');
    expect(ledger[0]?.applied).toEqual(users);
  });

  test('makes the numbers of an answer wrong: one success too many, or one user with two results', async () => {
    const compact = createSubject({ form: 'compact' });
    compact.setFaults({ name: 'odd', answer: { kind: 'wrong-count' } });
    expect(JSON.parse((await compact.call()).body)).toMatchObject({ succeeded: 101 });
    const full = createSubject();
    full.setFaults({ name: 'odd', answer: { kind: 'wrong-count' } });
    expect(fullAnswer.parse(JSON.parse((await full.call()).body)).results).toHaveLength(101);
  });
});

describe('a call that violates the contract', () => {
  test.each<[string, Partial<CallOptions>, number, string]>([
    ['no key', { key: '' }, 400, 'bad-key'],
    ['a key with a blank', { key: 'a b' }, 400, 'bad-key'],
    ['a key of 101 characters', { key: 'k'.repeat(101) }, 400, 'bad-key'],
    ['attempt 0', { attempt: 0 }, 400, 'bad-attempt'],
    ['an unknown mode', { headers: { 'muster-mode': 'dry-run' } }, 422, 'bad-mode'],
    ['invalid JSON', { body: '{"campaign":' }, 400, 'bad-body'],
    ['no users', { body: bodyOf({ users: [] }) }, 400, 'bad-body'],
    ['step 0', { body: bodyOf({ step: 0 }) }, 400, 'bad-body'],
    ['a country in lower case', { body: bodyOf({ country: 'sg' }) }, 422, 'bad-country'],
    ['a user with a control character', { body: bodyOf({ users: ['a\u0000'] }) }, 422, 'bad-user-id'],
    ['a user that is listed twice', { body: bodyOf({ users: ['a', 'a'] }) }, 422, 'repeated-user'],
    [
      '1,001 users',
      { body: bodyOf({ users: Array.from({ length: 1001 }, (_, i) => `u${i}`) }) },
      413,
      'too-many-users',
    ],
  ])('is refused, and nothing is applied: %s', async (_name, options, status, code) => {
    const { call, ledger, service } = createSubject();
    const answer = await call(options);
    expect(answer.status).toBe(status);
    expect(refusal.parse(JSON.parse(answer.body)).code).toBe(code);
    expect(ledger).toEqual([]);
    expect(service.stats.refused).toBe(1);
  });
});
