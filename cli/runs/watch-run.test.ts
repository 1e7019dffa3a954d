import { expect, test } from 'vitest';
import type { RunProgress } from '../../sdk/generated/types.gen.ts';
import { runStates } from '../../shared/domain/run/run-states.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { progressOf } from './sample-run.ts';
import { ApiUnavailable } from '../api/failures.ts';
import { createApiClient } from '../api/api-client.ts';
import { awaitRun, exitCodeOf, watchRun } from './watch-run.ts';

/** Creates a clock whose time moves only when a caller sleeps. */
function createSleepingClock(): Clock {
  let nowMs = 0;
  return {
    now: () => new Date(nowMs),
    monotonicMs: () => nowMs,
    sleep: (ms) => {
      nowMs += ms;
      return Promise.resolve();
    },
  };
}

function depsOf(answers: (() => unknown)[], signal = new AbortController().signal) {
  const send = () => {
    const answer = answers.length > 1 ? answers.shift() : answers[0];
    return Promise.resolve().then(() => Response.json(answer?.()));
  };
  return {
    client: createApiClient({ baseUrl: 'http://api', apiKey: 'key', send }),
    clock: createSleepingClock(),
    signal,
  };
}

const running = () => progressOf({ state: 'running' });
const completed = () => progressOf({ state: 'completed' });
const down = () => {
  throw new TypeError('fetch failed');
};

test('watchRun follows a run until it has ended', async () => {
  const seen: RunProgress['state'][] = [];
  const last = await watchRun('run_1', depsOf([running, running, completed]), ({ state }) => seen.push(state));
  expect(last?.state).toBe('completed');
  expect(seen).toEqual(['running', 'running', 'completed']);
});

test('watchRun continues after an API restart', async () => {
  const last = await watchRun('run_1', depsOf([running, down, down, completed]), () => undefined);
  expect(last?.state).toBe('completed');
});

test('watchRun throws if the API stays unavailable', async () => {
  await expect(watchRun('run_1', depsOf([running, down]), () => undefined)).rejects.toThrow(ApiUnavailable);
});

test('awaitRun polls until the campaign has a run', async () => {
  const none = () => ({ items: [], next: null });
  const one = () => ({ items: [{ runId: 'run_1' }], next: null });
  expect(await awaitRun('cmp_1', depsOf([none, none, one]))).toBe('run_1');
});

test('awaitRun and watchRun return immediately after an interrupt', async () => {
  const deps = depsOf([() => ({ items: [], next: null })], AbortSignal.abort());
  expect(await awaitRun('cmp_1', deps)).toBeUndefined();
  expect(await watchRun('run_1', deps, () => undefined)).toBeUndefined();
});

test('exitCodeOf fails only for runs that were cancelled, expired or failed', () => {
  const bad = runStates.filter((state) => exitCodeOf(state) !== 0);
  expect(bad).toEqual(['cancelled', 'expired', 'failed']);
});
