import { expect, it } from 'vitest';
import { groupSteps } from './step-groups.ts';

const step = (id: string, hour: number, of: object = {}) => ({
  id,
  action: 'award-reward',
  country: 'SG',
  runId: 'run_1',
  users: 100,
  replayable: true,
  whyNot: null,
  since: `2026-11-24T0${hour}:00:00.000Z`,
  ...of,
});

it('the steps of a shard are one group, with their users, runs and times', () => {
  const [group, ...others] = groupSteps([step('c', 5, { runId: 'run_2', users: 40 }), step('b', 4), step('a', 3)]);
  expect(others).toEqual([]);
  expect(group).toMatchObject({
    action: 'award-reward',
    country: 'SG',
    whyNot: null,
    items: 3,
    users: 240,
    runs: 2,
    firstAt: '2026-11-24T03:00:00.000Z',
    lastAt: '2026-11-24T05:00:00.000Z',
    steps: [{ id: 'c' }, { id: 'b' }, { id: 'a' }],
  });
});

it('replayable steps are separate groups, which come first regardless of age', () => {
  const ended = { replayable: false, whyNot: 'its run does not go on' };
  const groups = groupSteps([step('d', 6, ended), step('c', 5, { country: 'VN' }), step('b', 4, ended), step('a', 3)]);
  expect(groups.map(({ country, whyNot, steps }) => [country, whyNot, steps.map(({ id }) => id).join()])).toEqual([
    ['VN', null, 'c'],
    ['SG', null, 'a'],
    ['SG', 'its run does not go on', 'd,b'],
  ]);
});
