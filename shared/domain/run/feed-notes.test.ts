import { describe, expect, it } from 'vitest';
import { shortfallNote } from './feed-notes.ts';

const fed = { segment: 'riders', country: 'SG', estimate: 1000, fedUsers: 949, complete: true };

describe('the note on a segment that ended early', () => {
  it('contains both numbers if over 5 % of the estimate is missing', () => {
    expect(shortfallNote(fed)).toBe('segment "riders" in SG ended after 949 users, and 1000 were estimated');
    expect(shortfallNote({ ...fed, fedUsers: 950 })).toBeNull();
  });

  it('is null before the end, without an estimate, and for an empty segment with the estimate 0', () => {
    expect(shortfallNote({ ...fed, complete: false })).toBeNull();
    expect(shortfallNote({ ...fed, estimate: null })).toBeNull();
    expect(shortfallNote({ ...fed, estimate: 0, fedUsers: 0 })).toBeNull();
  });
});
