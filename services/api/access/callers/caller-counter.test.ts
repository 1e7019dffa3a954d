import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import {
  createCallerCounter,
  maxCountedCalls,
  maxCountedKeys,
  maxCountedPeople,
  type CallerCounter,
  type CallerCounts,
} from './caller-counter.ts';

const clock = createSettableClock();
let written: CallerCounts[];
let isAway: boolean;
let counter: CallerCounter;

beforeEach(async () => {
  [written, isAway] = [[], false];
  const write = (counts: CallerCounts) => {
    if (isAway) return Promise.reject(new Error('the database is away'));
    written.push(counts);
    return Promise.resolve();
  };
  counter = createCallerCounter({ write, clock, logger: pino({ level: 'silent' }) });
  counter.start();
  await passTime(clock, 60_000);
});
afterEach(() => counter.stop());

const person = (subject: string) => ({
  issuer: 'https://login.test',
  subject,
  name: null,
  ...({ code: 'no-role', detail: 'no role' } as const),
});

describe('requests with expired or revoked keys', () => {
  it('are written to the database at the first request, and then at most once a minute', async () => {
    for (let second = 0; second < 150; second++) {
      counter.refused('a', `::ffff:10.0.0.${second}`);
      await passTime(clock, 1000);
    }
    expect(written.map(({ refusals: [first] }) => first?.count)).toEqual([1, 59, 60]);
    expect(written.at(-1)?.refusals[0]?.lastFrom).toBe('10.0.0.119');
  });

  it('are counted for a bounded number of keys', async () => {
    counter.refused('first', null);
    await passTime(clock, 1000);
    for (let number = 0; number < 2 * maxCountedKeys; number++) counter.refused(`key ${number}`, null);
    counter.refused('key 0', null);
    await passTime(clock, 60_000);
    expect(written.at(-1)?.refusals).toHaveLength(maxCountedKeys);
    expect(written.at(-1)?.refusals[0]).toMatchObject({ key: 'key 0', count: 2 });
  });
});

describe('responses', () => {
  it('are counted by key, operation and result', async () => {
    const statuses = [200, 204, 304, 401, 404, 429, 500, 503];
    for (const status of statuses) counter.called('a', 'listRuns', status);
    counter.called('a', 'createJob', 201);
    counter.called('b', 'listRuns', 200);
    await passTime(clock, 1000);
    expect(written.flatMap(({ calls }) => calls)).toEqual([
      { key: 'a', operation: 'listRuns', done: 3, refused: 3, failed: 2, lastAgoMs: 0 },
      { key: 'a', operation: 'createJob', done: 1, refused: 0, failed: 0, lastAgoMs: 0 },
      { key: 'b', operation: 'listRuns', done: 1, refused: 0, failed: 0, lastAgoMs: 0 },
    ]);
  });

  it('are counted for a bounded number of pairs of key and operation, and written once a minute', async () => {
    counter.called('first', 'listRuns', 200);
    await passTime(clock, 1000);
    for (let number = 0; number < 2 * maxCountedCalls; number++) counter.called(`key ${number}`, 'listRuns', 200);
    counter.refused('a', null);
    counter.personRefused(person('ada'), null);
    await passTime(clock, 60_000);
    expect(written).toHaveLength(2);
    const { calls, refusals, people } = written[1] ?? {};
    expect([calls?.length, refusals?.length, people?.length]).toEqual([maxCountedCalls, 1, 1]);
  });
});

describe('people whose tokens were refused', () => {
  it('are counted by the subject in their tokens, with the reason of the last refusal', async () => {
    counter.personRefused(person('ada'), '::ffff:10.0.0.1');
    counter.personRefused({ ...person('ada'), code: 'shut-out', detail: 'out' }, '10.0.0.2');
    counter.personRefused(person('grace'), null);
    await passTime(clock, 1000);
    expect(written.flatMap(({ people }) => people)).toMatchObject([
      { subject: 'ada', count: 2, code: 'shut-out', detail: 'out', lastFrom: '10.0.0.2' },
      { subject: 'grace', count: 1, code: 'no-role', lastFrom: null },
    ]);
  });

  it('are counted up to a maximum number, and not if their subject cannot be stored as text', async () => {
    counter.personRefused(person('a\u0000b'), null);
    await passTime(clock, 1000);
    expect(written).toEqual([]);
    for (let number = 0; number < 2 * maxCountedPeople; number++) counter.personRefused(person(`sub ${number}`), null);
    await passTime(clock, 60_000);
    expect(written.flatMap(({ people }) => people)).toHaveLength(maxCountedPeople);
  });
});

it('no statement writes counts while there are no requests', async () => {
  await passTime(clock, 7_200_000);
  expect(written).toEqual([]);
});

it('no counts are lost if the database is unavailable for a while, or when the process stops', async () => {
  isAway = true;
  counter.refused('a', '10.0.0.1');
  counter.called('a', 'listRuns', 401);
  counter.personRefused(person('ada'), '10.0.0.1');
  await passTime(clock, 1000);
  counter.refused('a', '10.0.0.2');
  counter.called('a', 'listRuns', 401);
  counter.personRefused(person('ada'), '10.0.0.2');
  await passTime(clock, 1000);
  isAway = false;
  await counter.stop();
  const last = { lastAgoMs: 1000, lastFrom: '10.0.0.2' };
  expect(written).toEqual([
    {
      refusals: [{ key: 'a', count: 2, ...last }],
      calls: [{ key: 'a', operation: 'listRuns', done: 0, refused: 2, failed: 0, lastAgoMs: 1000 }],
      people: [{ ...person('ada'), count: 2, ...last }],
    },
  ]);
});
