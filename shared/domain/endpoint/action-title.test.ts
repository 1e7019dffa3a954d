import { describe, expect, it } from 'vitest';
import { titleFromName, withTitles } from './action-title.ts';

describe('titleFromName', () => {
  it.each([
    ['award-reward', 'Award reward'],
    ['email', 'Email'],
    ['-odd--name-', 'Odd name'],
  ])('shows %s as %s', (name, title) => {
    expect(titleFromName(name)).toBe(title);
  });
});

describe('withTitles', () => {
  const actionTypes = ['award', 'award-reward', 'award-reward-twice', 'send-message'];
  const titles = { 'award-reward': 'Give a reward' };
  const inTitles = (sentence: string) => withTitles(sentence, actionTypes, titles);

  it('writes the title, or the name in words, in place of a name', () => {
    expect(inTitles('award-reward in SG: HTTP 503, send-message in ID: HTTP 429')).toBe(
      '“Give a reward” in SG: HTTP 503, “Send message” in ID: HTTP 429',
    );
  });

  it('leaves no quotation marks around a title', () => {
    expect(inTitles('"award-reward" has no price')).toBe('“Give a reward” has no price');
  });

  it('takes the longest name, and none within another word', () => {
    expect(inTitles('award-reward-twice, pre-award-reward, award-rewards')).toBe(
      '“Award reward twice”, pre-award-reward, award-rewards',
    );
  });

  it('leaves names of one word, which may be words of the sentence', () => {
    expect(inTitles('an award of 5 points')).toBe('an award of 5 points');
  });

  it('leaves the sentence as it is if it can name no action type', () => {
    expect(withTitles('award-reward in SG: HTTP 503', [], titles)).toBe('award-reward in SG: HTTP 503');
  });
});
