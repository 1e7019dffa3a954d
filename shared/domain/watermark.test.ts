import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { createWatermark } from './watermark.ts';

function delivered(...offsets: number[]) {
  const watermark = createWatermark();
  for (const offset of offsets) watermark.deliver(offset);
  return watermark;
}

describe('a watermark', () => {
  it('has no position before the first delivery', () => {
    expect(createWatermark().position).toBeUndefined();
  });

  it('is at the first unsettled offset', () => {
    const watermark = delivered(7, 8, 9);
    watermark.settle(8);
    watermark.settle(9);
    expect(watermark.position).toBe(7);
  });

  it('moves over all settled offsets when a gap closes', () => {
    const watermark = delivered(7, 8, 9);
    watermark.settle(8);
    watermark.settle(7);
    expect(watermark.position).toBe(9);
  });

  it('is just after the last offset when all are settled, even with missing offsets', () => {
    const watermark = delivered(7, 12);
    watermark.settle(7);
    expect(watermark.position).toBe(12);
    watermark.settle(12);
    expect(watermark.position).toBe(13);
  });

  it('counts an offset once although it is settled twice', () => {
    const watermark = delivered(7, 8);
    expect([watermark.settle(7), watermark.settle(7), watermark.settle(99)]).toEqual([true, false, false]);
    expect(watermark.unsettled).toBe(1);
  });

  it('never passes an unsettled offset and never moves back, for any order', () => {
    const orders = fc
      .uniqueArray(fc.nat(1000), { minLength: 1, maxLength: 50 })
      .chain((offsets) => fc.tuple(fc.constant([...offsets].sort((a, b) => a - b)), fc.shuffledSubarray(offsets)));
    fc.assert(
      fc.property(orders, ([offsets, settled]) => {
        const watermark = delivered(...offsets);
        const open = new Set(offsets);
        let last = -1;
        for (const offset of settled) {
          watermark.settle(offset);
          open.delete(offset);
          const position = watermark.position ?? -1;
          expect(position).toBe(open.size === 0 ? (offsets.at(-1) ?? 0) + 1 : Math.min(...open));
          expect(position).toBeGreaterThanOrEqual(last);
          last = position;
        }
      }),
    );
  });
});
