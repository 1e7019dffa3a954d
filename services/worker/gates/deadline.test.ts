import { expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import type { Admission } from '../claims/feed-directory.ts';
import { worksOf } from '../slots/test-works.ts';
import type { CheckDeps } from './gate.ts';
import { deadline } from './stopped.ts';

const nowMs = 5000;

const done = () => Promise.resolve();
const deps: CheckDeps = {
  heldSteps: {
    mayCall: () => Promise.resolve(true),
    holdForFault: done,
    endFault: done,
    holdForQuietHours: done,
    endQuietHours: done,
  },
  quietHours: { of: () => null },
  clock: createSettableClock(nowMs),
  leaseMs: 60_000,
  random: () => 0,
};

function rulingOf(admission: Admission, open = false) {
  const [work] = worksOf('f1', 1);
  if (!work) throw new Error('no batch was made');
  return deadline.check?.({ ...work, claim: { ...work.claim, open } }, admission, deps);
}

it.each<[string, Admission]>([
  [
    'the run is past its deadline in Postgres, even if this clock has not reached it',
    { verdict: 'expire', deadlineAtMs: nowMs + 1000 },
  ],
  ['this clock has reached the deadline, even if the run was read before', { verdict: 'go', deadlineAtMs: nowMs }],
])('users expire if %s', (_, admission) => {
  expect(rulingOf(admission)).toMatchObject({ state: 'done', rest: 'expired', failures: [] });
  expect(rulingOf(admission, true)).toMatchObject({ failures: [{ outcome: 'unknown' }] });
});

it('a batch proceeds before the deadline', () => {
  expect(rulingOf({ verdict: 'go', deadlineAtMs: nowMs + 1 })).toBeNull();
});
