import { describe, expect, it } from 'vitest';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { digestOfLost } from '../../../shared/domain/step/lost-users.ts';
import type { StepResult, UserFailure } from '../../../shared/ports/step-ledger.ts';
import type { FinalReading } from '../endpoint/read-answer.ts';
import type { StatusAnswer, UserStatus } from '../endpoint/read-status.ts';
import { worksOf } from '../slots/test-works.ts';
import {
  dividedResult,
  lostAfter,
  releasedResult,
  resultOfAnswer,
  resultOfStatus,
  splitResult,
  uncalledResult,
  unknownResult,
  waitingResult,
  withheldResult,
  type ResultTerms,
} from './step-results.ts';
import type { Work } from './work.ts';

/** The time is that of the feed's creation, so the endpoint still remembers every key. */
const terms: ResultTerms = { random: 0, nowMs: 0, deadlineInMs: 1_000_000 };
const retry = { firstDelayMs: 1000, maxDelayMs: 300_000 };

interface Given {
  class?: 'A' | 'B' | 'C' | 'D';
  users?: string[];
  open?: boolean;
  waited?: boolean;
  attempts?: number;
}

/** Returns a batch of class A with four users, whose key is closed by default. An earlier step has lost one user. */
function workOf({
  users = ['a', 'b', 'c', 'd'],
  open = false,
  waited = true,
  attempts = 1,
  ...given
}: Given = {}): Work {
  const [work] = worksOf('feed', 1);
  if (!work) throw new Error('no work');
  const text = users.map((user) => JSON.stringify(user)).join(',');
  const type = actionTypeConfig.parse({
    url: 'http://endpoint',
    ...(given.class === 'C' ? { statusUrl: 'http://endpoint/status', appliesLateSeconds: 20 } : {}),
    class: given.class ?? 'A',
    maxAttempts: 3,
    retry,
  });
  return {
    ...work,
    type,
    users: text,
    count: users.length,
    lost: ['z'],
    claim: { ...work.claim, epoch: 2, attempts, open, waited },
  };
}

function reported(given: Partial<Extract<FinalReading, { kind: 'reported' }>> = {}): FinalReading {
  return { kind: 'reported', failed: [], missing: [], unexpected: 0, repeated: 0, reopened: false, ...given };
}

const failed = (id: string, retryable = false) => ({ id, code: 'busy', detail: 'later', retryable });
const cause = 'for a reason';
const refused: FinalReading = { kind: 'refused', code: 'bad', cause, tooLarge: false };
const ambiguous: FinalReading = { kind: 'ambiguous', cause };
const notApplied: FinalReading = { kind: 'not-applied', cause, retryAfterMs: null };
const misconfigured: FinalReading = { kind: 'misconfigured', cause };

/**
 * Returns a result as one line of text: outcomes, child batches and attempts; or the waiting time and the state of the
 * key.
 */
function inWords(result: StepResult | null): string {
  if (result === null) return 'call';
  const key = (open: boolean) => (open ? 'open' : 'closed');
  if (result.state === 'waiting') {
    return `waits ${result.delayMs} ms, ${key(result.open)}${result.cause === null ? '' : `: ${result.cause}`}`;
  }
  const { failures, children, rest, restUsers, attempts } = result;
  const groups = Map.groupBy(failures, ({ outcome, reason }: UserFailure) => `${outcome} ${reason}`);
  const ended = [...groups].map(([name, users]) => `${users.map(({ user }) => user).join('')} ${name}`);
  const going = children.map(({ users, delayMs, open, claim, attempts: ofChild }) => {
    return `${users.join('')} ${claim ? 'now' : `in ${delayMs} ms`} (${key(open)}, ${ofChild})`;
  });
  const served = restUsers > 0 ? [`${restUsers} ${rest}`] : [];
  return [...served, ...ended, ...going, `attempts ${attempts}`].join('; ');
}

describe('the result of an answer', () => {
  it.each<[string, Given, FinalReading, string]>([
    ['success', {}, reported(), '4 succeeded; attempts 2'],
    ['a final failure', {}, reported({ failed: [failed('b')] }), '3 succeeded; b failed busy; attempts 2'],
    [
      'retryable failures',
      {},
      reported({ failed: [failed('c', true), failed('b', true)] }),
      '2 succeeded; bc in 200 ms (closed, 2); attempts 2',
    ],
    [
      'a retryable failure at the last attempt',
      { attempts: 2 },
      reported({ failed: [failed('b', true)] }),
      '3 succeeded; b failed busy; attempts 3',
    ],
    [
      'a retryable failure at the last attempt under an open key',
      { attempts: 2, open: true },
      reported({ failed: [failed('b', true)] }),
      '3 succeeded; b unknown busy; attempts 3',
    ],
    [
      'a retryable failure whose repeated call was lost at the last attempt',
      { attempts: 2 },
      reported({ failed: [failed('b', true)], reopened: true }),
      '3 succeeded; b in 400 ms (open, 3); attempts 3',
    ],
    ['a missing user', {}, reported({ missing: ['d'] }), '3 succeeded; d in 200 ms (open, 1); attempts 2'],
    [
      'a missing user in class B',
      { class: 'B' },
      reported({ missing: ['d'] }),
      '3 succeeded; d unknown muster.no-result; attempts 2',
    ],
    [
      'a missing user in class C',
      { class: 'C' },
      reported({ missing: ['d'] }),
      '3 succeeded; d in 20000 ms (open, 1); attempts 2',
    ],
    [
      'an answer without any user',
      {},
      reported({ missing: ['a', 'b', 'c', 'd'] }),
      'waits 200 ms, open: an answer that speaks of no user',
    ],
    ['a refused batch', {}, refused, 'ab now (closed, 1); cd now (closed, 1); attempts 1'],
    ['a refused batch under an open key', { open: true }, refused, 'ab now (open, 1); cd now (open, 1); attempts 1'],
    ['a refused single user', { users: ['a'] }, refused, 'a failed bad; attempts 2'],
    ['a refused single user under an open key', { users: ['a'], open: true }, refused, `waits 200 ms, open: ${cause}`],
    ['a call that was not applied', {}, notApplied, `waits 200 ms, closed: ${cause}`],
    [
      'a call that was not applied, with Retry-After',
      {},
      { kind: 'not-applied', cause, retryAfterMs: 7000 },
      `waits 7000 ms, closed: ${cause}`,
    ],
    ['an ambiguous call', {}, ambiguous, `waits 200 ms, open: ${cause}`],
    ['an ambiguous call in class C', { class: 'C' }, ambiguous, `waits 20000 ms, open: ${cause}`],
    ['an ambiguous call in class D', { class: 'D' }, ambiguous, 'abcd unknown muster.ambiguous-answer; attempts 1'],
    ['a fault of configuration', {}, misconfigured, 'waits 0 ms, closed'],
  ])('has the expected outcomes, delay and state of the key for %s', (_, given, reading, words) => {
    expect(inWords(resultOfAnswer(workOf(given), reading, terms))).toBe(words);
  });

  it('makes the batch wait at most until the deadline, and at most 30 s if nothing was applied', () => {
    const soon = resultOfAnswer(workOf(), notApplied, { ...terms, deadlineInMs: 150 });
    expect(inWords(soon)).toBe(`waits 150 ms, closed: ${cause}`);
    const work = workOf();
    const oftenTried = { ...work, claim: { ...work.claim, epoch: 20 } };
    const longest = (reading: FinalReading) => resultOfAnswer(oftenTried, reading, { ...terms, random: 1 - 1e-9 });
    expect(inWords(longest(notApplied))).toBe(`waits 30000 ms, closed: ${cause}`);
    expect(inWords(longest(ambiguous))).toBe(`waits ${retry.maxDelayMs} ms, open: ${cause}`);
  });

  it('counts a user that was refused alone as refused, not only as failed', () => {
    expect(resultOfAnswer(workOf({ users: ['a'] }), refused, terms)).toMatchObject({ refused: 1 });
    expect(resultOfAnswer(workOf(), reported({ failed: [failed('b')] }), terms)).toMatchObject({ refused: 0 });
  });
});

describe('the result of a status request', () => {
  const is = (status: UserStatus['status'], retryable = false): UserStatus => ({ status, code: 'full', retryable });
  const answered = (statuses: Record<string, UserStatus>): StatusAnswer => {
    return { kind: 'answered', statuses: new Map(Object.entries(statuses)) };
  };
  const all = (status: UserStatus) => answered({ a: status, b: status, c: status, d: status });

  it.each<[string, StatusAnswer, string]>([
    ['is a new call if none of the users was found', all(is('not-found')), 'call'],
    ['is success if all users were served', all(is('succeeded')), '4 succeeded; attempts 2'],
    [
      'waits while all users are in progress',
      all(is('in-progress')),
      'waits 200 ms, open: the outcome is not settled yet',
    ],
    ['waits if the status request failed', { kind: 'unanswered', cause }, `waits 200 ms, open: ${cause}`],
    [
      'has a child batch for each group of users that is not settled',
      answered({ a: is('succeeded'), b: is('failed'), c: is('not-found') }),
      '1 succeeded; b failed full; c now (closed, 1); d in 200 ms (open, 1); attempts 2',
    ],
    [
      'has a child batch for retryable users',
      answered({ a: is('failed', true), b: is('succeeded'), c: is('succeeded'), d: is('succeeded') }),
      '3 succeeded; a in 200 ms (closed, 2); attempts 2',
    ],
  ])('%s', (_, answer, words) => {
    expect(inWords(resultOfStatus(workOf({ class: 'C', open: true }), answer, terms))).toBe(words);
  });

  it('makes retryable users fail after the last attempt', () => {
    const result = resultOfStatus(workOf({ class: 'C', attempts: 2 }), all(is('failed', true)), terms);
    expect(inWords(result)).toBe('abcd failed full; attempts 3');
  });
});

describe('the result of a step that was not called', () => {
  const failure: UserFailure = { user: 'b', outcome: 'suppressed', reason: 'listed', detail: null };

  it.each<[string, (work: Work) => StepResult, string]>([
    ['has one outcome for all users', (work) => uncalledResult(work, 'expired'), '4 expired; attempts 1'],
    [
      'is unknown under an open key',
      (work) => unknownResult(work, null),
      'abcd unknown muster.ambiguous-answer; attempts 1',
    ],
    [
      'suppresses some users and calls the others',
      (work) => withheldResult(work, [failure], true),
      'b suppressed listed; acd now (closed, 1); attempts 1',
    ],
    [
      'suppresses all users',
      (work) =>
        withheldResult(
          work,
          ['a', 'b', 'c', 'd'].map((user) => ({ ...failure, user })),
          false,
        ),
      'abcd suppressed listed; attempts 1',
    ],
    [
      'is split into groups without empty ones',
      (work) => splitResult(work, [['a'], ['b', 'c', 'd'], []]),
      'a now (closed, 1); bcd now (closed, 1); attempts 1',
    ],
    [
      'is divided into failures and child batches',
      (work) => dividedResult(work, [failure], [{ users: ['d', 'a'], delayMs: 5, open: false, claim: false }]),
      '1 succeeded; b suppressed listed; ad in 5 ms (closed, 1); attempts 1',
    ],
    ['waits', (work) => waitingResult(work, 50, true, cause), `waits 50 ms, open: ${cause}`],
    ['is released with its key unchanged', (work) => releasedResult(work, 50, null), 'waits 50 ms, closed'],
  ])('%s', (_, build, words) => {
    expect(inWords(build(workOf()))).toBe(words);
  });

  it('makes the batch wait until a lost call can no longer be applied, unless it has waited before', () => {
    const lost = { class: 'C', open: true } as const;
    expect(inWords(releasedResult(workOf({ ...lost, waited: false }), 50, null))).toBe('waits 20000 ms, open');
    expect(inWords(releasedResult(workOf({ ...lost, waited: true }), 50, null))).toBe('waits 50 ms, open');
  });
});

describe('the lost users after a step', () => {
  it('are the users lost before, the failed users and the users in child batches', () => {
    const work = workOf();
    const result = dividedResult(
      work,
      [{ user: 'b', outcome: 'failed', reason: 'r', detail: null }],
      [{ users: ['d'], delayMs: 0, open: false, claim: true }],
    );
    expect(lostAfter(work, result)).toEqual(['z', 'b', 'd']);
    expect(result).toMatchObject({ restUsers: 2, lostDigest: null });
  });

  it('are stored as a digest, except in the last step of a chain', () => {
    const work = workOf();
    const [action] = work.context.chain;
    if (!action) throw new Error('no action');
    const between = { ...work, context: { ...work.context, chain: [action, action] } };
    expect(uncalledResult(between, 'succeeded')).toMatchObject({ lostDigest: digestOfLost(['z']) });
  });
});
