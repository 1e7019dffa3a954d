import { describe, expect, it } from 'vitest';
import type { SourceRow } from '../databases/source.port.ts';
import { createMemberRules, namedProblems } from './member-rules.ts';

function rowsOf(...rows: [string | null, string | null][]): SourceRow[] {
  return rows.map(([userId, country]) => ({ userId, country }));
}

describe('the rules of members', () => {
  it('admit users of several countries and count them', () => {
    const rules = createMemberRules('refuse');
    const members = rules.admit(rowsOf(['u1', 'SG'], ['u2', 'VN'], ['u3', 'SG']));
    expect(members.map(({ userId, country }) => `${userId} ${country}`)).toEqual(['u1 SG', 'u2 VN', 'u3 SG']);
    expect([...rules.counts]).toEqual([
      ['SG', 2],
      ['VN', 1],
    ]);
    expect(rules.problems).toEqual([]);
  });

  it('name the problem of each row', () => {
    const rules = createMemberRules('refuse');
    rules.admit(rowsOf(['', 'SG'], ['a\tb', 'SG'], ['u1', 'sg'], ['u2', null], ['x'.repeat(257), 'SG'], [null, 'SG']));
    expect(rules.problems).toEqual([
      'user_id "" is empty',
      'user_id "a\\tb" is not allowed: it has a control character',
      'user_id "u1" has the country "sg", which has to be two capital letters',
      'user_id "u2" has no country',
      expect.stringMatching(/^user_id "x{200,}…#[0-9a-f]{8}" is longer than 256 bytes$/),
      'a row has no user_id',
    ]);
  });

  it('report a user in two rows or two countries, even if the rows are in different parts', () => {
    const rules = createMemberRules('refuse');
    rules.admit(rowsOf(['u1', 'SG'], ['u1', 'SG'], ['u2', 'SG']));
    rules.admit(rowsOf(['u2', 'VN'], ['u3', 'SG']));
    expect(rules.problems).toEqual(['user_id "u1" is in two rows of SG', 'user_id "u2" is in SG and VN']);
  });

  it('admit the first row of a user where the segment allows it', () => {
    const rules = createMemberRules('first');
    const members = rules.admit(rowsOf(['u1', 'SG'], ['u1', 'SG'], ['u1', 'VN'], ['u2', 'VN']));
    expect(members).toEqual([
      { userId: 'u1', country: 'SG' },
      { userId: 'u2', country: 'VN' },
    ]);
    expect(rules.problems).toEqual([]);
  });

  it('stop at the tenth problem', () => {
    const rules = createMemberRules('refuse');
    const broken = Array.from({ length: 30 }, () => ({ userId: null, country: 'SG' }));
    expect(rules.admit([...broken, { userId: 'u1', country: 'SG' }])).toEqual([]);
    expect(rules.problems).toHaveLength(namedProblems);
  });

  it('refuse rows that are not sorted by their bytes', () => {
    const rules = createMemberRules('refuse');
    // The emoji would come before the wide letter in the order of UTF-16 units.
    expect(rules.admit(rowsOf(['ｗ', 'SG'], ['🎟', 'SG']))).toHaveLength(2);
    rules.admit(rowsOf(['a', 'SG']));
    expect(rules.problems).toEqual(['the database returned "a" after "🎟", which is not the order of bytes']);
  });
});
