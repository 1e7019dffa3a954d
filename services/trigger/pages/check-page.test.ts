import { describe, expect, it } from 'vitest';
import { pageFault } from './check-page.ts';

const asked = { after: 'b', limit: 3 };

describe('a page of users', () => {
  it.each([
    [{ users: ['c', 'd', 'e'], next: 'e' }],
    [{ users: ['c'], next: 'c' }],
    [{ users: ['c', 'd', 'e'], next: null }],
    [{ users: [], next: null }],
    // In byte order an emoji comes after U+FFFD, though its first UTF-16 unit is smaller.
    [{ users: ['\ufffd', '🛵'], next: null }],
  ])('may be %j', (page) => {
    expect(pageFault(page, asked)).toBeNull();
  });

  it.each([
    ['is too long', { users: ['c', 'd', 'e', 'f'], next: 'f' }, /4 users, asked for were at most 3/],
    ['is unsorted', { users: ['d', 'c'], next: 'c' }, /"c" comes after "d"/],
    ['repeats a user', { users: ['c', 'c'], next: 'c' }, /"c" comes after "c"/],
    ['begins with the user it was asked to begin behind', { users: ['b', 'c'], next: 'c' }, /"b" comes after "b"/],
    ['goes back', { users: ['a'], next: 'a' }, /"a" comes after "b"/],
    ['is sorted by UTF-16 units', { users: ['🛵', '\ufffd'], next: null }, /ascending/],
    ['leads elsewhere than to its last user', { users: ['c', 'd'], next: 'c' }, /next is "c"/],
    ['is empty without being the last', { users: [], next: 'c' }, /empty and not the last/],
  ])('is refused when it %s', (_why, page, fault) => {
    expect(pageFault(page, asked)).toMatch(fault);
  });

  it('may begin with any user when it is the first', () => {
    expect(pageFault({ users: ['a'], next: 'a' }, { after: null, limit: 1 })).toBeNull();
  });

  it('is refused in words that can be logged, whatever its ids hold', () => {
    expect(pageFault({ users: ['c\u0000\n', 'c'], next: 'c' }, asked)).toContain('\\u0000\\n');
  });
});
