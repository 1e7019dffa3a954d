import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { priorities, type Priority } from '../priorities.ts';
import { bandOf, createPriorityTurns } from './priority-bands.ts';

/** Serves this number of turns, each to one of the priorities that are present at the time. */
function serve(times: number, presentAt: (time: number) => readonly Priority[], turns = createPriorityTurns()) {
  return Array.from({ length: times }, (_, time) => {
    const next = turns.next(presentAt(time));
    turns.took(next);
    return next;
  });
}

const countOf = (served: readonly Priority[], priority: Priority) => served.filter((each) => each === priority).length;

describe('the turns of priorities', () => {
  it('give high 16, normal 4 and low 1 of 21 turns, and 4 of 5 to the higher of two neighbouring priorities', () => {
    const all = serve(210, () => priorities);
    expect(priorities.map((priority) => countOf(all, priority))).toEqual([10, 40, 160]);
    expect(
      countOf(
        serve(50, () => ['high', 'normal']),
        'normal',
      ),
    ).toBe(10);
    expect(
      countOf(
        serve(50, () => ['normal', 'low']),
        'low',
      ),
    ).toBe(10);
  });

  it('give the next turns to a new priority without making up for its absence', () => {
    const turns = createPriorityTurns();
    serve(1000, () => ['normal', 'low'], turns);
    const served = serve(24, () => ['high', 'normal', 'low'], turns);
    expect(served.slice(0, 4)).toEqual(['high', 'high', 'high', 'high']);
    expect(countOf(served, 'high')).toBeGreaterThanOrEqual(18);
    serve(1000, () => ['high'], turns);
    expect(
      countOf(
        serve(21, () => priorities, turns),
        'high',
      ),
    ).toBeGreaterThanOrEqual(15);
  });

  it('serve low at least once in 24 turns and normal at least once in 8, beside any others', () => {
    const others = fc.array(fc.subarray<Priority>(['high', 'normal', 'low']), { minLength: 24, maxLength: 200 });
    fc.assert(
      fc.property(others, fc.constantFrom<Priority>('low', 'normal'), (beside, waiting) => {
        const present = (time: number) => [...new Set<Priority>([waiting, ...(beside[time] ?? [])])];
        const served = serve(beside.length, present);
        const least = waiting === 'low' ? 24 : 8;
        for (let from = 0; from + least <= served.length; from++) {
          expect(served.slice(from, from + least)).toContain(waiting);
        }
      }),
    );
  });

  it('have the id of the endpoint as the key of normal priority', () => {
    expect(bandOf('o')).toBe('o');
    expect(bandOf('o', 'normal')).toBe('o');
    expect(new Set(priorities.map((priority) => bandOf('o', priority))).size).toBe(3);
  });
});
