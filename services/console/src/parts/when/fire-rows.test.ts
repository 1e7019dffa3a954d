import { describe, expect, it } from 'vitest';
import type { SchedulePreview } from '#client/types.gen.ts';
import { fireRows } from './fire-rows.ts';

type Fire = SchedulePreview['fires'][number];

const clocks = { zone: 'Europe/Berlin', own: 'Asia/Singapore', now: new Date('2026-11-24T01:00:00Z') };
const plain: Fire = { at: '2026-11-24T08:00:00Z', localTime: '2026-11-24T09:00:00', mark: null, instants: 1 };
const rowOf = (fire: Partial<Fire>) => fireRows([{ ...plain, ...fire }], clocks)[0];

describe('a start in the preview of a rule', () => {
  it('is shown in the zone of the rule and of the viewer', () => {
    expect(rowOf({})).toMatchObject({ time: '09:00', ownTime: '16:00', mark: null });
  });

  it('has no intended time if the rule is an interval', () => {
    expect(rowOf({ localTime: null })).toMatchObject({ time: '09:00', mark: null });
  });

  it('is listed at its place if a clock change skips it, without a time for the viewer', () => {
    const skipped = rowOf({ at: null, localTime: '2027-03-28T02:30:00', mark: 'skipped', instants: 3 });
    expect(skipped).toMatchObject({ time: 'Sun 28 Mar 2027, 02:30', ownTime: null });
    expect(skipped?.mark).toEqual({
      icon: 'gap',
      text: '02:30 skipped by the clock change; does not start (3 in a row)',
    });
  });

  it('has the intended time if a clock change shifts it', () => {
    const shifted = rowOf({ at: '2027-03-28T01:00:00Z', localTime: '2027-03-28T02:30:00', mark: 'shifted' });
    expect(shifted).toMatchObject({ time: 'Sun 28 Mar 2027, 02:30', mark: { icon: 'fwd' } });
    expect(shifted?.mark?.text).toBe('02:30 skipped by the clock change; starts right after it');
  });

  it('has a mark if its time occurs twice, although the API does not mark the first one', () => {
    const first = rowOf({ at: '2027-10-31T00:30:00Z', localTime: '2027-10-31T02:30:00' });
    expect(first?.mark).toEqual({ icon: 'twice', text: '02:30 occurs twice; starts the first time' });
  });
});
