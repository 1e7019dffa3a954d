import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../api/generated/types.gen.ts';
import { eventWords } from './event-words.ts';

const timeOf = (instant: string) => instant.slice(11, 16);

function event(kind: RunEvent['kind'], detail: RunEvent['detail'] = {}): RunEvent {
  return { id: 'rev_1', at: '2026-11-24T01:00:00.000Z', kind, detail };
}

describe('an event of a run', () => {
  it('names who paused it, and what was noted', () => {
    const detail = { by: { keyId: 'key_1', keyName: 'growth-sea' }, reason: 'rewards are down' };
    expect(eventWords(event('pausing', detail), timeOf)).toEqual({
      who: 'growth-sea',
      what: 'paused the run',
      note: 'rewards are down',
      mark: 'paused',
    });
  });

  it('tells a change from what it was to what it is', () => {
    const detail = {
      by: { keyName: 'growth-sea' },
      from: { paceUsersPerSecond: 800 },
      to: { paceUsersPerSecond: 1200 },
    };
    expect(eventWords(event('changed', detail), timeOf)).toMatchObject({
      what: 'changed the pace from 800 users/s to 1,200 users/s',
      mark: 'pace changed',
    });
  });

  it('tells a limit that was taken away, and a deadline by its time', () => {
    const detail = {
      from: { paceUsersPerSecond: 800, deadlineAt: '2026-11-24T07:00:00.000Z' },
      to: { paceUsersPerSecond: null, deadlineAt: '2026-11-24T09:30:00.000Z' },
    };
    expect(eventWords(event('changed', detail), timeOf).what).toBe(
      'changed the pace from 800 users/s to no limit and the deadline from 07:00 to 09:30',
    );
  });

  it('says why Muster paused it by itself', () => {
    const words = eventWords(event('auto-paused', { cause: '6.1 % of 10,000 users failed' }), timeOf);
    expect(words).toMatchObject({ who: null, what: 'Muster paused the run: 6.1 % of 10,000 users failed.' });
  });

  it('says how it ended', () => {
    expect(eventWords(event('ended', { state: 'completed_with_failures', reason: null }), timeOf).what).toBe(
      'Run ended: completed with failures',
    );
    expect(eventWords(event('ended', { state: 'failed', reason: 'no such segment' }), timeOf).what).toBe(
      'Run ended, failed: no such segment.',
    );
  });
});
