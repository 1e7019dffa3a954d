import { afterEach, describe, expect, it } from 'vitest';
import { quotedTitleOf, rememberTitles, titleOf, titlesOf, withTitles } from './action-titles.ts';

afterEach(() => rememberTitles([]));

describe('a sentence of the API', () => {
  it('has titles of action types in place of their names, with or without quotes', () => {
    rememberTitles([
      { name: 'award-reward', title: 'Give a reward' },
      { name: 'award-reward-again', title: 'Give another' },
      { name: 'points', title: 'Award points' },
    ]);
    expect(withTitles('award-reward: these 2 users really get it')).toBe(
      '“Give a reward”: these 2 users really get it',
    );
    expect(withTitles('"award-reward-again" in SG, my-award-reward, 5 points')).toBe(
      '“Give another” in SG, my-award-reward, 5 points',
    );
  });

  it('is unchanged if no titles are known', () => {
    expect(withTitles('award-reward in SG')).toBe('award-reward in SG');
  });
});

describe('the title of an action type', () => {
  it("is the engine's title, or the name in words if the engine does not list the type", () => {
    rememberTitles([{ name: 'award-reward', title: 'Give a reward' }]);
    expect(titleOf('award-reward')).toBe('Give a reward');
    expect(quotedTitleOf('award-reward')).toBe('“Give a reward”');
    expect(titleOf('send-long-message')).toBe('Send long message');
    expect(titlesOf([{ action: 'award-reward' }, { action: 'send-message' }])).toBe('Give a reward, then Send message');
  });
});
