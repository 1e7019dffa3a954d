import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { passTime } from '../../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import {
  createCallerNotes,
  maxCalls,
  maxCounted,
  maxPeople,
  type CallerNotes,
  type NotedCallers,
} from './caller-notes.ts';

const clock = createSettableClock();
let written: NotedCallers[];
let isAway: boolean;
let notes: CallerNotes;

beforeEach(async () => {
  [written, isAway] = [[], false];
  const write = (noted: NotedCallers) => {
    if (isAway) return Promise.reject(new Error('the database is away'));
    written.push(noted);
    return Promise.resolve();
  };
  notes = createCallerNotes({ write, clock, logger: pino({ level: 'silent' }) });
  notes.start();
  await passTime(clock, 60_000);
});
afterEach(() => notes.stop());

const person = (subject: string) => ({
  ...{ issuer: 'https://login.test', subject, name: null },
  ...({ code: 'no-role', detail: 'no role' } as const),
});

describe('requests with keys that have ended', () => {
  it('are written when the first comes, and then once a minute at most', async () => {
    for (let second = 0; second < 150; second++) {
      notes.refused('a', `::ffff:10.0.0.${second}`);
      await passTime(clock, 1000);
    }
    expect(written.map(({ refusals: [first] }) => first?.count)).toEqual([1, 59, 60]);
    expect(written.at(-1)?.refusals[0]?.lastFrom).toBe('10.0.0.119');
  });

  it('are counted of so many keys and no more, whatever comes', async () => {
    notes.refused('first', null);
    await passTime(clock, 1000);
    for (let number = 0; number < 2 * maxCounted; number++) notes.refused(`key ${number}`, null);
    notes.refused('key 0', null);
    await passTime(clock, 60_000);
    expect(written.at(-1)?.refusals).toHaveLength(maxCounted);
    expect(written.at(-1)?.refusals[0]).toMatchObject({ key: 'key 0', count: 2 });
  });
});

describe('answers', () => {
  it('are counted by key and operation, and by how they ended', async () => {
    const statuses = [200, 204, 304, 401, 404, 429, 500, 503];
    for (const status of statuses) notes.called('a', 'listRuns', status);
    notes.called('a', 'createJob', 201);
    notes.called('b', 'listRuns', 200);
    await passTime(clock, 1000);
    expect(written.flatMap(({ calls }) => calls)).toEqual([
      { key: 'a', operation: 'listRuns', done: 3, refused: 3, failed: 2, lastAgoMs: 0 },
      { key: 'a', operation: 'createJob', done: 1, refused: 0, failed: 0, lastAgoMs: 0 },
      { key: 'b', operation: 'listRuns', done: 1, refused: 0, failed: 0, lastAgoMs: 0 },
    ]);
  });

  it('are counted of so many pairs and no more, and all of it is one write a minute', async () => {
    notes.called('first', 'listRuns', 200);
    await passTime(clock, 1000);
    for (let number = 0; number < 2 * maxCalls; number++) notes.called(`key ${number}`, 'listRuns', 200);
    notes.refused('a', null);
    notes.personRefused(person('ada'), null);
    await passTime(clock, 60_000);
    expect(written).toHaveLength(2);
    const { calls, refusals, people } = written[1] ?? {};
    expect([calls?.length, refusals?.length, people?.length]).toEqual([maxCalls, 1, 1]);
  });
});

describe('people who were refused', () => {
  it('are counted by whom the issuer says they are, with what they were told last', async () => {
    notes.personRefused(person('ada'), '::ffff:10.0.0.1');
    notes.personRefused({ ...person('ada'), code: 'shut-out', detail: 'out' }, '10.0.0.2');
    notes.personRefused(person('grace'), null);
    await passTime(clock, 1000);
    expect(written.flatMap(({ people }) => people)).toMatchObject([
      { subject: 'ada', count: 2, code: 'shut-out', detail: 'out', lastFrom: '10.0.0.2' },
      { subject: 'grace', count: 1, code: 'no-role', lastFrom: null },
    ]);
  });

  it('are so many and no more, and none whom no text can hold', async () => {
    notes.personRefused(person('a\u0000b'), null);
    await passTime(clock, 1000);
    expect(written).toEqual([]);
    for (let number = 0; number < 2 * maxPeople; number++) notes.personRefused(person(`sub ${number}`), null);
    await passTime(clock, 60_000);
    expect(written.flatMap(({ people }) => people)).toHaveLength(maxPeople);
  });
});

it('nothing is written while nobody comes', async () => {
  await passTime(clock, 7_200_000);
  expect(written).toEqual([]);
});

it('nothing is lost while the database is away, nor when the process stops', async () => {
  isAway = true;
  notes.refused('a', '10.0.0.1');
  notes.called('a', 'listRuns', 401);
  notes.personRefused(person('ada'), '10.0.0.1');
  await passTime(clock, 1000);
  notes.refused('a', '10.0.0.2');
  notes.called('a', 'listRuns', 401);
  notes.personRefused(person('ada'), '10.0.0.2');
  await passTime(clock, 1000);
  isAway = false;
  await notes.stop();
  const last = { lastAgoMs: 1000, lastFrom: '10.0.0.2' };
  expect(written).toEqual([
    {
      refusals: [{ key: 'a', count: 2, ...last }],
      calls: [{ key: 'a', operation: 'listRuns', done: 0, refused: 2, failed: 0, lastAgoMs: 1000 }],
      people: [{ ...person('ada'), count: 2, ...last }],
    },
  ]);
});
