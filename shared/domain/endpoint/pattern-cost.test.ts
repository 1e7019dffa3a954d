import { describe, expect, it } from 'vitest';
import { maxMatchedCharacters, patternProblem } from './pattern-cost.ts';

describe('a regular expression in a parameter schema', () => {
  it.each([
    '^[a-z0-9-]+$',
    '^ride-[0-9]{1,6}$',
    '^(push|email|sms)$',
    '^(?:promo-)?[A-Z]{2,10}$',
    '[a-z]+',
    String.raw`^\d{4}-\d{2}-\d{2}T\d+\.\d*Z$`,
    String.raw`^\p{Lu}\u{1F600}?[\]\\a-z]*$`,
    '^[^|()*]+$',
    '',
  ])('is accepted: %s', (pattern) => {
    expect(patternProblem(pattern)).toBeUndefined();
  });

  it.each([
    ['^(a+)+$', 'must not repeat a group'],
    ['^(a|a)*$', 'must not repeat a group'],
    ['^(?:a{2}){30}$', 'must not repeat a group'],
    ['^(?=a)b$', 'must not look ahead'],
    ['^(?<year>a)$', 'nor name groups'],
    [String.raw`^(a)\1$`, 'must not refer to its own groups'],
    ['a*a*a*a*b', 'could take too long'],
    [`^${'a?'.repeat(30)}${'a'.repeat(30)}$`, 'could take too long'],
    [`^${'(a|a)'.repeat(30)}$`, 'could take too long'],
    ['^a{1,100000}$', 'must not repeat more than 1000 times'],
    ['^[a-z', 'has to be a regular expression'],
    ['a'.repeat(201), 'at most 200 characters'],
  ])('is refused: %s', (pattern, problem) => {
    expect(patternProblem(pattern)).toContain(problem);
  });

  it('takes less than a second on the longest text if it is accepted', () => {
    const worst = ['^a*a*b$', 'a*a*b', `^${'a?'.repeat(19)}${'a'.repeat(19)}b$`, `^${'(a|a)'.repeat(19)}b$`];
    for (const pattern of worst.filter((each) => patternProblem(each) === undefined)) {
      const regExp = new RegExp(pattern, 'u');
      const text = 'a'.repeat(maxMatchedCharacters);
      const begunMs = performance.now();
      regExp.test(text);
      expect(performance.now() - begunMs).toBeLessThan(1000);
    }
  });
});
