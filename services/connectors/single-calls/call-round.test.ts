import { describe, expect, it } from 'vitest';
import type { ResultClaim, ResultStore } from '../store/result-store.port.ts';
import type { ApiAnswer } from './api.port.ts';
import type { CallActionSettings } from './call-settings.ts';
import { callUsers } from './call-round.ts';
import { createSlots } from './slots.ts';

const settings: CallActionSettings = {
  form: 'call',
  id: 'notify',
  method: 'POST',
  origin: 'https://api.test',
  target: '/users/{{user}}',
  headers: [],
  content: undefined,
  usersPerCall: 1,
  recognizesRepeats: false,
  perUser: undefined,
  answers: [],
  concurrency: 1,
  perSecond: undefined,
  pauseMs: 1000,
  timeoutMs: 4000,
  lookup: undefined,
  missingCode: 'no-such-user',
  workMs: 60_000,
  keepSeconds: 3600,
};

/** Runs a round for users, over a clock that advances by `claimTakesMs` with each claim. */
async function play(
  users: readonly string[],
  { claimTakesMs = 0, answer }: { claimTakesMs?: number; answer: ApiAnswer },
) {
  let nowMs = 0;
  const called: string[] = [];
  const released: string[] = [];
  const store: ResultStore = {
    read: () => Promise.resolve(new Map()),
    claim: (scope, claimed): Promise<ResultClaim> => {
      nowMs += claimTakesMs;
      return Promise.resolve({ ...scope, id: 'c1', users: new Map(claimed.map((user) => [user, false])) });
    },
    finish: () => Promise.resolve(),
    release: (_, of) => Promise.resolve(void released.push(...of)),
    sweep: () => Promise.resolve(0),
  };
  const round = await callUsers(
    users.map((user) => ({ user, key: `key-${user}`, attributes: {} })),
    {
      settings,
      scope: { action: 'notify', run: 'run_1', step: 1 },
      values: { campaign: 'cmp_1', run: 'run_1', step: 1, country: 'SG', params: {} },
      endsAtMs: settings.workMs,
    },
    {
      api: { send: ({ path }) => Promise.resolve((called.push(path), answer)) },
      store,
      pace: { take: () => Promise.resolve({ isGranted: true, waitMs: 0 }), pause: () => Promise.resolve() },
      slots: createSlots(1),
      clock: { now: () => new Date(0), monotonicMs: () => nowMs, sleep: () => Promise.resolve() },
    },
  );
  return { ...round, called, released };
}

const ok: ApiAnswer = { kind: 'answered', status: 200, retryAfterMs: null, body: Buffer.from('{}') };

describe('a round of calls', () => {
  it('begins no request if its process was suspended since the claim', async () => {
    const { outcomes, called, released } = await play(['u1'], { claimTakesMs: 6000, answer: ok });
    expect({ outcomes: [...outcomes], called, released }).toEqual({ outcomes: [], called: [], released: ['u1'] });
  });

  it('begins no request after the time limit of its batch', async () => {
    const users = Array.from({ length: 40 }, (_, place) => `u${place}`);
    const { outcomes, called } = await play(users, { claimTakesMs: 4000, answer: ok });
    expect(called).toHaveLength(15);
    expect(outcomes.size).toBe(15);
  });

  it('calls no further user while the API cannot be reached', async () => {
    const answer: ApiAnswer = { kind: 'not-applied', cause: 'connection refused' };
    const { outcomes, called, released, stop } = await play(['u1', 'u2'], { answer });
    expect({ size: outcomes.size, called, released }).toEqual({ size: 0, called: ['/users/u1'], released: ['u1'] });
    expect(stop).toEqual({
      isMisconfigured: false,
      cause: 'the API was not reached: connection refused',
      retryAfterMs: 1000,
    });
  });
});
