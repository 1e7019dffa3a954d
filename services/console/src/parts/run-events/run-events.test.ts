import { describe, expect, it } from 'vitest';
import type { RunEvent } from '#client/types.gen.ts';
import { describeEvent, rateMarks } from './run-events.ts';

const timeOf = (instant: string) => instant.slice(11, 16);

function event(kind: RunEvent['kind'], detail: RunEvent['detail'] = {}): RunEvent {
  return { id: 'rev_1', at: '2026-11-24T01:00:00.000Z', kind, detail };
}

describe('an event of a run', () => {
  it('names the key that paused the run, and the reason', () => {
    const detail = { by: { keyId: 'key_1', keyName: 'growth-sea' }, reason: 'rewards are down' };
    expect(describeEvent(event('pausing', detail), timeOf)).toEqual({
      who: 'growth-sea',
      what: 'paused the run',
      note: 'rewards are down',
      mark: 'paused',
    });
  });

  it('names the key that requested the run, and none if its schedule did', () => {
    const by = { keyId: 'key_1', keyName: 'growth-sea' };
    expect(describeEvent(event('created', { by }), timeOf).what).toBe('Run created, requested by growth-sea');
    expect(describeEvent(event('created'), timeOf).what).toBe('Run created');
  });

  it('has the figures of a canary after which the run continues', () => {
    expect(describeEvent(event('canary-passed', { report: 'none failed' }), timeOf).what).toBe(
      'The canary has ended, the run continues: none failed.',
    );
  });

  it('describes what a run waits for after its canary', () => {
    const cause = 'canary: 600 users have ended, none failed; a person has to choose a variant';
    expect(describeEvent(event('auto-paused', { cause }), timeOf)).toMatchObject({
      what: 'The canary has ended, the run waits: 600 users have ended, none failed; a person has to choose a variant.',
      mark: 'paused',
    });
  });

  it('names the variant that was chosen after a canary', () => {
    const by = { keyId: 'key_1', keyName: 'growth-sea' };
    expect(describeEvent(event('resumed', { by, variant: 'Bigger', reason: 'by a wide margin' }), timeOf)).toEqual({
      who: 'growth-sea',
      what: 'chose Bigger for all other users, and resumed the run',
      note: 'by a wide margin',
      mark: 'variant chosen',
    });
    expect(describeEvent(event('resumed', { by }), timeOf).what).toBe('resumed the run');
  });

  it('describes a change with the old and the new value', () => {
    const detail = {
      by: { keyName: 'growth-sea' },
      from: { paceUsersPerSecond: 800 },
      to: { paceUsersPerSecond: 1200 },
    };
    expect(describeEvent(event('changed', detail), timeOf)).toMatchObject({
      what: 'changed the pace from 800 users/s to 1,200 users/s',
      mark: 'pace changed',
    });
  });

  it('describes a removed limit, and a deadline by its time', () => {
    const detail = {
      from: { paceUsersPerSecond: 800, deadlineAt: '2026-11-24T07:00:00.000Z' },
      to: { paceUsersPerSecond: null, deadlineAt: '2026-11-24T09:30:00.000Z' },
    };
    expect(describeEvent(event('changed', detail), timeOf).what).toBe(
      'changed the pace from 800 users/s to no limit and the deadline from 07:00 to 09:30',
    );
  });

  it('describes each raised budget, with the reason', () => {
    const detail = {
      by: { keyName: 'growth-sea' },
      reason: 'agreed with finance',
      from: { budgets: [{ country: 'VN', units: 402_200 }] },
      to: { budgets: [{ country: 'VN', units: 880_600 }] },
    };
    expect(describeEvent(event('changed', detail), timeOf)).toEqual({
      who: 'growth-sea',
      what: 'changed the budget of VN from 402,200 units to 880,600 units',
      note: 'agreed with finance',
      mark: 'budget changed',
    });
  });

  it('explains an automatic pause', () => {
    const words = describeEvent(event('auto-paused', { cause: '6.1 % of 10,000 users failed' }), timeOf);
    expect(words).toMatchObject({ who: null, what: 'Muster paused the run: 6.1 % of 10,000 users failed.' });
  });

  it('describes the end of the run', () => {
    expect(describeEvent(event('ended', { state: 'completed_with_failures', reason: null }), timeOf).what).toBe(
      'Run ended: completed with failures',
    );
    expect(describeEvent(event('ended', { state: 'failed', reason: 'no such segment' }), timeOf).what).toBe(
      'Run ended, failed: no such segment.',
    );
  });

  it('describes each fault with its place, cause and duration', () => {
    const place = { step: 1, action: 'award-reward', country: 'VN' };
    const cause = 'award-reward in VN: HTTP 503';
    const words = (kind: RunEvent['kind'], detail: RunEvent['detail']) => describeEvent(event(kind, detail), timeOf);
    expect(words('breaker-opened', { ...place, cause })).toEqual({
      who: null,
      what: 'Breaker of “Award reward” in VN opened: HTTP 503',
      note: null,
      mark: 'VN breaker opens',
    });
    expect(words('breaker-closed', { ...place, cause, forMs: 161_000 })).toMatchObject({
      what: 'Breaker of “Award reward” in VN closed after 2 min 41 s',
      mark: null,
    });
    expect(words('worker-missing', { ...place, cause: 'no worker serves it' })).toMatchObject({
      what: 'No worker for “Award reward” in VN: no worker serves it',
      mark: 'VN no worker',
    });
    expect(words('worker-back', { ...place, cause: 'no worker serves it', forMs: 61_000 })).toMatchObject({
      what: 'A worker serves “Award reward” in VN again after 1 min 1 s',
      mark: null,
    });
    expect(words('step-held', { ...place, cause: 'the endpoint says 404' }).what).toBe(
      '“Award reward” in VN is held until a person fixes it: the endpoint says 404',
    );
    expect(words('step-released', { ...place, forMs: 5000 }).what).toBe(
      '“Award reward” in VN is no longer held after 5 s',
    );
    expect(words('feed-stalled', { country: 'VN', cause: 'HTTP 503' })).toMatchObject({
      what: 'The audience of VN cannot be read: HTTP 503',
      mark: 'VN audience stalls',
    });
    expect(words('feed-moved', { country: 'VN', cause: 'HTTP 503', forMs: 9000 }).what).toBe(
      'The audience of VN is read again after 9 s',
    );
  });

  it('has a mark in the chart if it may have changed the rate', () => {
    const events = [event('begun'), event('step-held', { action: 'send-message', country: 'VN' }), event('paused')];
    expect(rateMarks(events, timeOf)).toEqual([{ atMs: Date.parse('2026-11-24T01:00:00.000Z'), words: 'VN held' }]);
  });
});
