import { describe, expect, it } from 'vitest';
import { describeMoment, faultGroups, planOf } from './plan.ts';

function take(seed: number, count: number) {
  const plan = planOf(seed);
  return Array.from({ length: count }, () => plan.next().value);
}

describe('the plan of a soak test', () => {
  it('is identical for the same seed and differs for another', () => {
    expect(take(7, 200)).toEqual(take(7, 200));
    expect(take(7, 20)).not.toEqual(take(8, 20));
  });

  it('contains every kind of fault, alone and combined with one of another group', () => {
    const moments = take(1, 1000);
    const kinds = new Set(moments.flatMap(({ faults }) => faults.map(({ kind }) => kind)));
    expect([...kinds].toSorted()).toEqual(Object.values(faultGroups).flat().toSorted());
    const pairs = moments.filter(({ faults }) => faults.length === 2);
    expect(pairs.length).toBeGreaterThan(200);
    const groupOf = (kind: string) =>
      Object.entries(faultGroups).find(([, all]) => all.some((one) => one === kind))?.[0];
    expect(pairs.filter(({ faults: [a, b] }) => groupOf(a?.kind ?? '') === groupOf(b?.kind ?? ''))).toEqual([]);
  });

  it('describes its faults in one line', () => {
    const fault = { kind: 'worker killed', which: 3, lastsMs: 2500 } as const;
    expect(describeMoment({ faults: [fault, { ...fault, kind: 'poison' }], restMs: 0 })).toBe(
      'worker killed (3) for 2.5 s beside poison (3) for 2.5 s',
    );
  });
});
