import { describe, expect, test } from 'vitest';
import { compareUserIds, isValidUserId } from '../../shared/domain/ids/user-id.ts';
import { createSegments, type Members, type SegmentSpec } from './segments.ts';

const weights = [
  { country: 'SG', weight: 40 },
  { country: 'ID', weight: 35 },
  { country: 'VN', weight: 25 },
];

function membersOf(spec: Partial<SegmentSpec>, country = 'SG'): Members {
  const segments = createSegments([{ id: 'riders', size: 1000, ids: 'plain', ...spec }], weights);
  const members = segments.members('riders', country);
  if (!members) throw new Error('the segment is missing');
  return members;
}

function everyUser(members: Members): string[] {
  return Array.from({ length: members.size }, (_, index) => members.at(index));
}

describe('the users of a segment', () => {
  test('are divided over the countries by weight and add up to the size of the segment', () => {
    expect(weights.map(({ country }) => membersOf({ size: 125_000 }, country).size)).toEqual([50_000, 43_750, 31_250]);
    const sizes = weights.map(({ country }) => membersOf({ size: 101 }, country).size);
    expect(sizes.reduce((sum, size) => sum + size)).toBe(101);
  });

  test.each(['plain', 'odd'] as const)('have valid %s ids that ascend strictly in byte order', (ids) => {
    // The beginnings of odd ids sort before the letters of the first and of the last country code.
    const everywhere = ['AE', 'SG', 'VN', 'ZW'].map((country) => ({ country, weight: 1 }));
    const segments = createSegments([{ id: 'riders', size: 2000, ids }], everywhere);
    for (const { country } of everywhere) {
      const members = segments.members('riders', country);
      const users = members ? everyUser(members) : [];
      expect(users).toHaveLength(500);
      expect(users.filter((user) => !isValidUserId(user))).toEqual([]);
      expect(users.filter((user, i) => i > 0 && compareUserIds(users[i - 1] ?? '', user) >= 0)).toEqual([]);
    }
  });

  test('are ordered by the bytes of their odd ids, not by UTF-16 units', () => {
    const users = everyUser(membersOf({ ids: 'odd', size: 2000 }));
    expect(users).toEqual(users.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    expect(users).not.toEqual(users.toSorted());
  });

  test('have odd ids with every character that breaks careless text handling', () => {
    const all = everyUser(membersOf({ ids: 'odd', size: 2000 })).join('\n');
    for (const piece of [' ', '"', "'", '%', '\\', ',', '","', '🎉', '?', '&', '#', '+', 'e\u0301']) {
      expect(all).toContain(piece);
    }
  });

  test.each(['plain', 'odd'] as const)('have %s ids with a computable position', (ids) => {
    const members = membersOf({ ids, size: 500 });
    const wrong = everyUser(members).filter((user, index) => members.countUpTo(user) !== index + 1);
    expect(wrong).toEqual([]);
  });

  test('are counted up to a cursor that is not the id of a member', () => {
    const members = membersOf({ size: 1000 });
    expect(members.countUpTo('')).toBe(0);
    expect(members.countUpTo('sg-000000007-and-more')).toBe(7);
    expect(members.countUpTo('zz')).toBe(400);
  });

  test('are known in only their own country', () => {
    const segments = createSegments([{ id: 'odd', size: 100, ids: 'odd' }], weights);
    const user = segments.members('odd', 'ID')?.at(3) ?? '';
    expect(segments.isKnown('ID', user)).toBe(true);
    expect(segments.isKnown('SG', user)).toBe(false);
    expect(segments.isKnown('ID', `${user} `)).toBe(false);
  });

  test('do not include ids that merely parse like a member', () => {
    const members = membersOf({ size: 1000 });
    expect(members.has('sg-000000001')).toBe(true);
    expect(['sg-1e0000000', 'sg-000000000', 'sg-000000401', 'sg-00000001', ''].filter((id) => members.has(id))).toEqual(
      [],
    );
  });

  test('have the same snapshot for the same configuration, and another one for another', () => {
    const snapshotOf = (size: number) => createSegments([{ id: 'riders', size, ids: 'plain' }], weights).snapshot;
    expect(snapshotOf(10)).toBe(snapshotOf(10));
    expect(snapshotOf(10)).not.toBe(snapshotOf(11));
  });
});
