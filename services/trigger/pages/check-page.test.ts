import { describe, expect, it } from 'vitest';
import { readPlainPage } from '../../../shared/http-client/plain-page.ts';
import { pageFault } from './check-page.ts';

const requested = { after: 'b', limit: 3 };

describe('a page of users', () => {
  it.each([
    [{ users: ['c', 'd', 'e'], next: 'e' }],
    [{ users: ['c'], next: 'c' }],
    [{ users: ['c', 'd', 'e'], next: null }],
    [{ users: [], next: null }],
    // In byte order an emoji comes after U+FFFD, though its first UTF-16 unit is smaller.
    [{ users: ['\ufffd', '🛵'], next: null }],
  ])('is accepted with %j', (page) => {
    expect(pageFault(page, requested)).toBeNull();
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
    expect(pageFault(page, requested)).toMatch(fault);
  });

  it('is accepted or rejected alike, whether it was parsed or read as bytes', () => {
    for (const users of [['c'], ['c', 'd'], ['b', 'c'], ['a'], [], ['c', 'd', 'e', 'f']]) {
      for (const next of ['c', 'd', null]) {
        const plain = readPlainPage(Buffer.from(JSON.stringify({ users, next })));
        if (!plain) throw new Error('not plain');
        expect(pageFault(plain, requested)).toBe(pageFault({ users, next }, requested));
      }
    }
  });

  it('may begin with any user if it is the first', () => {
    expect(pageFault({ users: ['a'], next: 'a' }, { after: null, limit: 1 })).toBeNull();
  });

  it('is rejected with a message in which control characters are escaped', () => {
    expect(pageFault({ users: ['c\u0000\n', 'c'], next: 'c' }, requested)).toContain('\\u0000\\n');
  });
});
