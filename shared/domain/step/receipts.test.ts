import { describe, expect, it } from 'vitest';
import { receiptLine } from './receipts.ts';

describe('the receipt counts of a step', () => {
  it('add up to the accepted users, over all countries', () => {
    const totals = [
      { step: 1, delivered: 9, undelivered: 9, unexpected: 9 },
      { step: 2, delivered: 40, undelivered: 3, unexpected: 0 },
      { step: 2, delivered: 20, undelivered: 1, unexpected: 2 },
    ];
    expect(receiptLine(100, totals, 2)).toEqual({ delivered: 60, undelivered: 4, unexpected: 2, awaiting: 36 });
  });

  it('await all accepted users without a receipt', () => {
    expect(receiptLine(7, [], 1)).toEqual({ delivered: 0, undelivered: 0, unexpected: 0, awaiting: 7 });
  });

  it('have a negative number of awaited receipts if receipts came before the acceptance', () => {
    expect(receiptLine(0, [{ step: 1, delivered: 2, undelivered: 0, unexpected: 0 }], 1).awaiting).toBe(-2);
  });
});
