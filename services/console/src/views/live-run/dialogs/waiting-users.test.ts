import { expect, it } from 'vitest';
import { progress } from '../../../../testing/runs/live-run.ts';
import { countWaitingUsers } from './waiting-users.ts';

const [first, second] = progress.steps;
if (!first || !second) throw new Error('the recorded run has two steps');

it('countWaitingUsers separates users without a step from users between two steps', () => {
  const steps = [
    { ...first, pending: 35 },
    { ...second, pending: 53 },
  ];
  expect(countWaitingUsers({ steps })).toEqual({ untouched: 35, halfWay: 18 });
});
