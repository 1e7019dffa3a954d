import { expect, it } from 'vitest';
import { placeInTemplate } from './template-places.ts';

it.each([
  ['/name', 'Name'],
  ['/variables', 'Variables'],
  ['/variables/reward', 'Variable reward'],
  ['/variables/reward/default', 'Variable reward, default'],
  ['/campaign', 'The campaign'],
  ['/campaign/chain/0/params/rewardId', 'Step 1, reward id'],
])('%s of a template is called %s', (pointer, words) => {
  expect(placeInTemplate(pointer)).toBe(words);
});
