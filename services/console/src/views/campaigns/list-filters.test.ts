import { describe, expect, it } from 'vitest';
import { hasFilters, noMatch } from './list-filters.ts';

describe('a list without a match', () => {
  it('is one that was filtered: a page alone is no filter', () => {
    expect(hasFilters({ cursor: 'next' })).toBe(false);
    expect(hasFilters({ country: 'SG' })).toBe(true);
  });

  it('names all filters, and offers none to drop where there is one only', () => {
    expect(noMatch({ text: 'payday' })).toEqual({ drop: undefined, words: 'Called “payday”.' });
  });

  it('offers to drop the state first, when it hides campaigns, and says how many', () => {
    const { drop, words } = noMatch({ country: 'SG', state: 'needs-attention' }, 1204);
    expect(drop).toMatchObject({ name: 'needs attention', off: { state: undefined } });
    expect(words).toBe('Country SG, needs attention. Not needs attention: 1,204.');
  });

  it('offers to drop the text first, when no state hides anything', () => {
    const { drop, words } = noMatch({ text: 'payday', action: 'award-reward', state: 'draft' }, 0);
    expect(drop).toMatchObject({ name: 'payday', off: { text: undefined } });
    expect(words).toBe('Called “payday”, action “Award reward”, draft.');
  });
});
