import { describe, expect, it } from 'vitest';
import { receiptLine } from './receipts.ts';

describe('the line of receipts', () => {
  it('adds up to what was accepted, over all countries of the step', () => {
    const totals = [
      { step: 1, delivered: 9, undelivered: 9, unexpected: 9 },
      { step: 2, delivered: 40, undelivered: 3, unexpected: 0 },
      { step: 2, delivered: 20, undelivered: 1, unexpected: 2 },
    ];
    expect(receiptLine(100, totals, 2)).toEqual({ delivered: 60, undelivered: 4, unexpected: 2, awaiting: 36 });
  });

  it('awaits all that was accepted while no receipt is here', () => {
    expect(receiptLine(7, [], 1)).toEqual({ delivered: 0, undelivered: 0, unexpected: 0, awaiting: 7 });
  });

  it('says how many receipts came before their acceptance', () => {
    expect(receiptLine(0, [{ step: 1, delivered: 2, undelivered: 0, unexpected: 0 }], 1).awaiting).toBe(-2);
  });
});
