import { expect, it } from 'vitest';
import { formatPlace } from '../../../parts/campaign/places.ts';
import { findField, groupProblems, sectionOf } from './problem-places.ts';

const fields = new Set(['/name', '/chain/0/params/rewardId', '/chain/0', '/schedule/time', '/audience/include/1']);

it.each([
  ['/name', '/name'],
  ['/chain/0/params/rewardId', '/chain/0/params/rewardId'],
  ['/chain/0/params/units/0', '/chain/0'],
  ['/audience/include/1/list', '/audience/include/1'],
  ['/audience/exclude/0', ''],
  ['', ''],
])('a problem at %j is shown at %j', (pointer, field) => {
  expect(findField(pointer, fields)).toBe(field);
});

it('groupProblems keeps the problems of a field together, in their order', () => {
  const problems = ['/chain/0/action', '/name', '/chain/0/params/x'].map((pointer) => ({ pointer, detail: pointer }));
  expect([...groupProblems(problems, fields)].map(([field, { length }]) => [field, length])).toEqual([
    ['/chain/0', 2],
    ['/name', 1],
  ]);
});

it.each([
  ['/chain/1/params/template', 'chain', 'Step 2, template'],
  ['/chain/0/action', 'chain', 'Step 1'],
  ['/chain', 'chain', 'Chain'],
  ['/chain/0/variants', 'chain', 'Step 1, variants'],
  ['/chain/0/variants/1/weight', 'chain', 'Step 1, variant 2, share'],
  ['/chain/0/variants/1/params/weight', 'chain', 'Step 1, variant 2, weight'],
  ['/splitSeed', 'chain', 'Split seed'],
  ['/audience/include/0/segment', 'audience', 'Include, entry 1'],
  ['/audience/exclude/2/runId', 'audience', 'Exclude, entry 3'],
  ['/audience/holdOutPercent', 'audience', 'Hold out'],
  ['/countries/1', 'audience', 'Country 2'],
  ['/budgets/0/units', 'chain', 'Budget 1'],
  ['/schedule/zones/ID', 'when', 'Zone of ID'],
  ['/schedule/time', 'when', 'Time'],
  ['/paceUsersPerSecond', 'limits', 'Pace'],
  ['/name', null, 'Name'],
  ['', null, 'The campaign'],
])('the pointer %s is in the section %s and is called %s', (pointer, section, words) => {
  expect(sectionOf(pointer)).toBe(section);
  expect(formatPlace(pointer)).toBe(words);
});
