import { describe, expect, it } from 'vitest';
import { campaignDefinition } from './campaigns.ts';

const posted = {
  name: 'Lapsed riders',
  countries: ['SG'],
  audience: { include: [{ segment: 'lapsed-riders' }] },
  chain: [{ action: 'award-reward', params: {} }],
};

describe('a campaign definition', () => {
  it('has defaults: it starts now, ends after a day and has normal priority', () => {
    expect(campaignDefinition.parse(posted)).toMatchObject({
      schedule: { type: 'now' },
      deadlineSeconds: 86_400,
      priority: 'normal',
    });
  });

  it.each([
    ['/name', { ...posted, name: 'a\u0000' }],
    ['/audience/include/0/segment', { ...posted, audience: { include: [{ segment: '\ud83d' }] } }],
    ['/chain/0/params', { ...posted, chain: [{ action: 'award-reward', params: { deep: [{ a: 'b\u0000' }] } }] }],
    ['/chain/0/params', { ...posted, chain: [{ action: 'award-reward', params: { deep: { 'a\u0000': 1 } } }] }],
  ])('is rejected with a text that cannot be stored, at the pointer %s', (pointer, definition) => {
    const issues = campaignDefinition.safeParse(definition).error?.issues ?? [];
    expect(issues.map((issue) => `/${issue.path.join('/')}`)).toEqual([pointer]);
  });
});
