import { describe, expect, it } from 'vitest';
import type { SchedulePreview } from '#client/types.gen.ts';
import { fireRows } from './fire-rows.ts';

type Fire = SchedulePreview['fires'][number];

const clocks = { zone: 'Europe/Berlin', own: 'Asia/Singapore', now: new Date('2026-11-24T01:00:00Z') };
const plain: Fire = { at: '2026-11-24T08:00:00Z', localTime: '2026-11-24T09:00:00', mark: null, instants: 1 };
const rowOf = (fire: Partial<Fire>) => fireRows([{ ...plain, ...fire }], clocks)[0];

describe('a start in the preview of a rule', () => {
  it('is shown on the clocks of the rule and of the viewer', () => {
    expect(rowOf({})).toMatchObject({ time: '09:00', ownTime: '16:00', mark: null });
  });

  it('of an interval has no time that is meant', () => {
    expect(rowOf({ localTime: null })).toMatchObject({ time: '09:00', mark: null });
  });

  it('that the clocks leap over is shown where it would have been, and starts at no time of the viewer', () => {
    const skipped = rowOf({ at: null, localTime: '2027-03-28T02:30:00', mark: 'skipped', instants: 3 });
    expect(skipped).toMatchObject({ time: 'Sun 28 Mar 2027, 02:30', ownTime: null });
    expect(skipped?.mark).toEqual({
      icon: 'gap',
      text: '02:30 the clocks leap over it; does not start (3 in a row)',
    });
  });

  it('that is shifted says the time that is meant', () => {
    const shifted = rowOf({ at: '2027-03-28T01:00:00Z', localTime: '2027-03-28T02:30:00', mark: 'shifted' });
    expect(shifted).toMatchObject({ time: 'Sun 28 Mar 2027, 02:30', mark: { icon: 'fwd' } });
    expect(shifted?.mark?.text).toBe('02:30 the clocks leap over it; starts when they have');
  });

  it('says that the clocks show its time twice, though the API has no mark for the first of two', () => {
    const first = rowOf({ at: '2027-10-31T00:30:00Z', localTime: '2027-10-31T02:30:00' });
    expect(first?.mark).toEqual({ icon: 'twice', text: '02:30 comes twice; starts at the first' });
  });
});
