import { describe, expect, it } from 'vitest';
import { ruleOfPlaceholder } from './user-cells.ts';

describe('a field in the column of user ids', () => {
  it.each(['NULL', '#N/A', 'None', '--'])('is a missing value if it is a placeholder such as %s', (text) => {
    expect(ruleOfPlaceholder(text, 'user_id')).toBe('no-value');
  });

  it.each(['user_id', 'User ID', 'USER-ID'])('is a repeated header in any form: %s', (text) => {
    expect(ruleOfPlaceholder(text, 'user_id')).toBe('repeated-header');
  });

  it.each(['0', '5', '9'])('is an id if it ends with the digit %s, although it resembles the header', (digit) => {
    expect(ruleOfPlaceholder(`ID-${digit}`, `id${digit}`)).toBeNull();
  });

  it('is an id if it has more than 20 characters, although it resembles the header', () => {
    const header = 'id of the user in us';
    expect(ruleOfPlaceholder(header.toUpperCase(), header)).toBe('repeated-header');
    expect(ruleOfPlaceholder(`${header.toUpperCase()}A`, `${header}a`)).toBeNull();
  });

  it('is an id if it has a single character, although the column has the same name', () => {
    expect(ruleOfPlaceholder('U', 'u')).toBeNull();
  });
});
