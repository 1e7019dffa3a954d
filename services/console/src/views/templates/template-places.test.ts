import { expect, it } from 'vitest';
import { describePlace } from './template-places.ts';

it.each([
  ['/name', 'Name'],
  ['/variables', 'Variables'],
  ['/variables/reward', 'Variable reward'],
  ['/variables/reward/default', 'Variable reward, default'],
  ['/campaign', 'The campaign'],
  ['/campaign/chain/0/params/rewardId', 'Step 1, reward id'],
])('the pointer %s of a template is described as %s', (pointer, words) => {
  expect(describePlace(pointer)).toBe(words);
});
