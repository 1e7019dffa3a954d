import { describe, expect, it } from 'vitest';
import { shortfallNote } from './feed-notes.ts';

const fed = { segment: 'riders', country: 'SG', estimate: 1000, fedUsers: 949, complete: true };

describe('the note on a segment that ended early', () => {
  it('names both numbers once more than a twentieth of the estimate is missing', () => {
    expect(shortfallNote(fed)).toBe('segment "riders" in SG ended after 949 users, and 1000 were estimated');
    expect(shortfallNote({ ...fed, fedUsers: 950 })).toBeNull();
  });

  it('is not there before the end, without an estimate, or for an empty segment that was said to be empty', () => {
    expect(shortfallNote({ ...fed, complete: false })).toBeNull();
    expect(shortfallNote({ ...fed, estimate: null })).toBeNull();
    expect(shortfallNote({ ...fed, estimate: 0, fedUsers: 0 })).toBeNull();
  });
});
