import { describe, expect, it } from 'vitest';
import { hasFilters, describeNoMatch } from './list-filters.ts';

describe('a list without a match', () => {
  it('counts as filtered by any parameter except the cursor of a page', () => {
    expect(hasFilters({ cursor: 'next' })).toBe(false);
    expect(hasFilters({ country: 'SG' })).toBe(true);
  });

  it('names its filters, and offers to drop a filter only if there are several', () => {
    expect(describeNoMatch({ text: 'payday' })).toEqual({ drop: undefined, words: 'Matching “payday”.' });
  });

  it('offers to drop the state first if it hides campaigns, with their number', () => {
    const { drop, words } = describeNoMatch({ country: 'SG', state: 'needs-attention' }, 1204);
    expect(drop).toMatchObject({ name: 'needs attention', off: { state: undefined } });
    expect(words).toBe('Country SG, needs attention. In other states: 1,204.');
  });

  it('offers to drop the text first if the state hides no campaigns', () => {
    const { drop, words } = describeNoMatch({ text: 'payday', action: 'award-reward', state: 'draft' }, 0);
    expect(drop).toMatchObject({ name: 'payday', off: { text: undefined } });
    expect(words).toBe('Matching “payday”, action “Award reward”, draft.');
  });
});
