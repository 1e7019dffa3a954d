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
  ])('is accepted with %j', (page) => {
    expect(pageFault(page, asked)).toBeNull();
  });

  it.each([
    ['has more users than requested', { users: ['c', 'd', 'e', 'f'], next: 'f' }, /4 users, asked for were at most 3/],
    ['is unsorted', { users: ['d', 'c'], next: 'c' }, /"c" comes after "d"/],
    ['repeats a user', { users: ['c', 'c'], next: 'c' }, /"c" comes after "c"/],
    ['begins with the cursor of the request', { users: ['b', 'c'], next: 'c' }, /"b" comes after "b"/],
    ['begins before the cursor of the request', { users: ['a'], next: 'a' }, /"a" comes after "b"/],
    ['is sorted by UTF-16 units', { users: ['🛵', '\ufffd'], next: null }, /ascending/],
    ['has another cursor than its last user', { users: ['c', 'd'], next: 'c' }, /next is "c"/],
    ['is empty but not the last', { users: [], next: 'c' }, /empty and not the last/],
  ])('is rejected if it %s', (_why, page, fault) => {
    expect(pageFault(page, asked)).toMatch(fault);
  });

  it('may begin with any user if it is the first', () => {
    expect(pageFault({ users: ['a'], next: 'a' }, { after: null, limit: 1 })).toBeNull();
  });

  it('is rejected with a message in which control characters are escaped', () => {
    expect(pageFault({ users: ['c\u0000\n', 'c'], next: 'c' }, asked)).toContain('\\u0000\\n');
  });
});
