import { describe, expect, it } from 'vitest';
import { contradictionsBetween, installationConfigOf, mergedConfig } from './installation-config.ts';
import { engineConfig } from '../../contracts/endpoints/engine-config.ts';

const reward = { url: 'http://rewards.test/v1', class: 'A' };
const configOf = (changes: object = {}) =>
  installationConfigOf(
    engineConfig.parse({
      countries: ['SG'],
      segmentation: { url: 'http://segments.test' },
      actionTypes: { 'award-reward': reward },
      ...changes,
    }),
  );

describe('a configuration file and the installation', () => {
  it('agree if their service URLs differ only in notation', () => {
    expect(contradictionsBetween(configOf(), configOf({ segmentation: { url: 'http://segments.test/' } }))).toEqual([]);
  });

  it('contradict each other if URLs or classes differ', () => {
    const other = configOf({
      segmentation: { url: 'http://sandbox.test' },
      actionTypes: { 'award-reward': { url: 'http://sandbox.test/v1', class: 'B' } },
    });
    expect(contradictionsBetween(configOf(), other)).toEqual([
      'segmentation.url: the installation has "http://segments.test/", this file says "http://sandbox.test/"',
      'actionTypes.award-reward.url: the installation has "http://rewards.test/v1", this file says "http://sandbox.test/v1"',
      'actionTypes.award-reward.class: the installation has "A", this file says "B"',
    ]);
  });

  it('agree if one has more countries or action types, and merging keeps the new ones', () => {
    const more = configOf({
      countries: ['SG', 'ID'],
      actionTypes: { 'send-message': { url: 'http://messages.test', class: 'B' } },
    });
    expect(contradictionsBetween(configOf(), more)).toEqual([]);
    expect(Object.keys(mergedConfig(configOf(), more).actionTypes)).toEqual(['award-reward', 'send-message']);
  });
});
