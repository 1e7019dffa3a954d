import { describe, expect, it } from 'vitest';
import { titleFromName, withTitles } from './action-title.ts';

describe('titleFromName for the name of an action type', () => {
  it.each([
    ['award-reward', 'Award reward'],
    ['email', 'Email'],
    ['-odd--name-', 'Odd name'],
  ])('converts %s into "%s"', (name, title) => {
    expect(titleFromName(name)).toBe(title);
  });
});

describe('withTitles for a sentence with names of action types', () => {
  const actionTypes = ['award', 'award-reward', 'award-reward-twice', 'send-message'];
  const titles = { 'award-reward': 'Give a reward' };
  const inTitles = (sentence: string) => withTitles(sentence, actionTypes, titles);

  it('replaces a name by its title, or by the name in words if it has none', () => {
    expect(inTitles('award-reward in SG: HTTP 503, send-message in ID: HTTP 429')).toBe(
      '“Give a reward” in SG: HTTP 503, “Send message” in ID: HTTP 429',
    );
  });

  it('removes quotation marks around a replaced name', () => {
    expect(inTitles('"award-reward" has no price')).toBe('“Give a reward” has no price');
  });

  it('replaces the longest name, and no name within another word', () => {
    expect(inTitles('award-reward-twice, pre-award-reward, award-rewards')).toBe(
      '“Award reward twice”, pre-award-reward, award-rewards',
    );
  });

  it('keeps names of one word, because they may be ordinary words', () => {
    expect(inTitles('an award of 5 points')).toBe('an award of 5 points');
  });

  it('keeps the sentence without known action types', () => {
    expect(withTitles('award-reward in SG: HTTP 503', [], titles)).toBe('award-reward in SG: HTTP 503');
  });
});
