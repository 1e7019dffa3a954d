import { afterEach, describe, expect, it } from 'vitest';
import { quotedTitleOf, rememberTitles, titleOf, titlesOf } from './action-titles.ts';

afterEach(() => rememberTitles([]));

describe('the title of an action type', () => {
  it('is what the engine has, and its name in words if the engine does not list it', () => {
    rememberTitles([{ name: 'award-reward', title: 'Give a reward' }]);
    expect(titleOf('award-reward')).toBe('Give a reward');
    expect(quotedTitleOf('award-reward')).toBe('“Give a reward”');
    expect(titleOf('send-long-message')).toBe('Send long message');
    expect(titlesOf([{ action: 'award-reward' }, { action: 'send-message' }])).toBe('Give a reward, then Send message');
  });
});
