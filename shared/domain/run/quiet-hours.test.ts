import { describe, expect, it } from 'vitest';
import { quietAt, type QuietRule } from './quiet-hours.ts';

const shard = { actionType: 'send-message', country: 'SG' };
const night: QuietRule = { actionType: 'send-message', from: '21:00', until: '08:00', then: 'wait' };

/** When they end, where they are at this time. */
function endAt(time: string, rule: Partial<QuietRule> = {}, country = 'SG'): string | null {
  const quiet = quietAt([{ ...night, ...rule }], { ...shard, country }, Date.parse(time));
  return quiet && new Date(quiet.untilMs).toISOString().slice(0, 16);
}

describe('quiet hours', () => {
  it('are by the clocks of the country, over midnight too', () => {
    expect(endAt('2026-11-24T20:59:59+08:00')).toBeNull();
    expect(endAt('2026-11-24T21:00:00+08:00')).toBe('2026-11-25T00:00');
    expect(endAt('2026-11-25T07:59:59+08:00')).toBe('2026-11-25T00:00');
    expect(endAt('2026-11-25T08:00:00+08:00')).toBeNull();
  });

  it('may lie within a day', () => {
    const noon = { from: '12:00', until: '13:30' };
    expect(endAt('2026-11-24T11:59:00+08:00', noon)).toBeNull();
    expect(endAt('2026-11-24T12:00:00+08:00', noon)).toBe('2026-11-24T05:30');
    expect(endAt('2026-11-24T13:30:00+08:00', noon)).toBeNull();
  });

  it('are of their action type and countries alone, or of all', () => {
    const at = Date.parse('2026-11-24T22:00:00+08:00');
    const isQuiet = (rule: Partial<QuietRule>) => quietAt([{ ...night, ...rule }], shard, at) !== null;
    expect(isQuiet({ countries: ['SG', 'ID'] })).toBe(true);
    expect(isQuiet({ countries: ['ID'] })).toBe(false);
    expect(isQuiet({ actionType: 'award-reward' })).toBe(false);
    expect(isQuiet({ actionType: '*' })).toBe(true);
  });

  it('are those of the first rule that is in force', () => {
    const rules = [
      { ...night, from: '23:00' },
      { ...night, then: 'drop' as const },
    ];
    expect(quietAt(rules, shard, Date.parse('2026-11-24T22:00:00+08:00'))?.then).toBe('drop');
    expect(quietAt(rules, shard, Date.parse('2026-11-24T23:00:00+08:00'))?.then).toBe('wait');
  });

  it('last, in a country with several zones, while it is quiet in any of them, unless a zone is named', () => {
    // In Jayapura it is two hours later than in Jakarta.
    expect(endAt('2026-11-24T19:30:00+07:00', {}, 'ID')).toBe('2026-11-25T01:00');
    expect(endAt('2026-11-24T19:30:00+07:00', { zone: 'Asia/Jakarta' }, 'ID')).toBeNull();
  });

  it('go by what the clocks show where they are put forward: they end when a time that is left out would be', () => {
    const early = { zone: 'Europe/Berlin', until: '02:30' };
    expect(endAt('2026-03-29T01:30:00+01:00', early)).toBe('2026-03-29T01:00');
    expect(endAt('2026-03-29T03:00:00+02:00', early)).toBeNull();
  });

  it('come back where the clocks are put back', () => {
    const early = { zone: 'Europe/Berlin', until: '02:30' };
    expect(endAt('2026-10-25T02:15:00+02:00', early)).toBe('2026-10-25T00:30');
    expect(endAt('2026-10-25T02:45:00+02:00', early)).toBeNull();
    expect(endAt('2026-10-25T02:15:00+01:00', early)).toBe('2026-10-25T01:30');
    expect(endAt('2026-10-25T02:30:00+01:00', early)).toBeNull();
  });

  it('that follow one another without end are looked at again', () => {
    const always = [
      { ...night, from: '00:00', until: '12:00' },
      { ...night, from: '12:00', until: '00:00' },
    ];
    expect(quietAt(always, shard, Date.parse('2026-11-24T22:00:00Z'))).not.toBeNull();
  });
});
