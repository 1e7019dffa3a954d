import { beforeEach, describe, expect, it } from 'vitest';
import { createSettableClock, type SettableClock } from '../../../test/support/settable-clock.ts';
import { createQuietHours } from './quiet-hours.ts';

const rule = { actionType: 'send-message', from: '21:00', until: '08:00', zone: 'UTC', then: 'wait' } as const;

describe('quiet hours of a worker', () => {
  let clock: SettableClock;
  beforeEach(() => {
    clock = createSettableClock(Date.parse('2026-06-01T20:59:59.500Z'));
  });

  it('begin within a second of their time, because results are reused for a second', () => {
    const quietHours = createQuietHours([rule], clock);
    expect(quietHours.of('send-message', 'SG')).toBeNull();
    clock.advance(1000);
    expect(quietHours.of('send-message', 'SG')).toMatchObject({ untilMs: Date.parse('2026-06-02T08:00:00Z') });
  });

  it('end exactly at their time, even if a result was computed within the last second', () => {
    const quietHours = createQuietHours([{ ...rule, from: '20:00', until: '21:00' }], clock);
    expect(quietHours.of('send-message', 'SG')).not.toBeNull();
    clock.advance(500);
    expect(quietHours.of('send-message', 'SG')).toBeNull();
  });

  it('follow changed rules at once', () => {
    const quietHours = createQuietHours([rule], clock);
    expect(quietHours.of('send-message', 'SG')).toBeNull();
    quietHours.follow([{ ...rule, from: '20:00' }]);
    expect(quietHours.of('send-message', 'SG')).not.toBeNull();
    quietHours.follow([]);
    expect([quietHours.of('send-message', 'SG'), quietHours.isEmpty]).toEqual([null, true]);
  });

  it('hold for the action types and countries of their rules', () => {
    const quietHours = createQuietHours([{ ...rule, from: '20:00', countries: ['SG'] }], clock);
    const shards = [
      ['send-message', 'SG'],
      ['send-message', 'ID'],
      ['award-reward', 'SG'],
    ] as const;
    expect(shards.map(([type, country]) => quietHours.of(type, country) !== null)).toEqual([true, false, false]);
  });
});
