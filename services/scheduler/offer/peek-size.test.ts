import { describe, expect, it } from 'vitest';
import { createPeekSize } from './peek-size.ts';

interface Crowd {
  rowsOfPartition: number;
  partitions: number;
  rowsOfSpan: number;
}

/**
 * Returns the number of rows of each scan, if some partitions contain only rows to skip, and the others contain none.
 */
function scansPast({ rowsOfPartition, partitions, rowsOfSpan }: Crowd): number[] {
  const size = createPeekSize();
  const scans: number[] = [];
  for (let left = rowsOfPartition; left > 0;) {
    const read = Math.min(size.rows, left);
    const isFull = read === size.rows;
    scans.push(read * partitions);
    left -= read;
    size.read(read * partitions, Math.ceil(read / rowsOfSpan) * partitions, isFull);
  }
  return scans;
}

describe('a poll that skips clients with a backlog', () => {
  it.each([1, 2, 5, 20, 64])(
    'reads at most 1,280 rows if each row belongs to another client, in %s partitions',
    (partitions) => {
      const scans = scansPast({ rowsOfPartition: 16_000, partitions, rowsOfSpan: 1 });
      expect(Math.max(...scans)).toBeLessThanOrEqual(1280);
    },
  );

  it('soon reads 10,000 rows at a time if all rows belong to one client, in all partitions', () => {
    const scans = scansPast({ rowsOfPartition: 1000, partitions: 64, rowsOfSpan: 1000 });
    expect(scans.slice(0, 4)).toEqual([20, 40, 80, 145].map((rows) => rows * 64));
    expect(Math.max(...scans)).toBeLessThan(10_240);
    expect(scans.length).toBeLessThan(10);
  });

  it('soon reads 500 rows at a time if all rows belong to one client, in one partition', () => {
    const scans = scansPast({ rowsOfPartition: 5000, partitions: 1, rowsOfSpan: 5000 });
    expect(scans.slice(0, 6)).toEqual([20, 40, 80, 160, 320, 500]);
  });

  it('reads few rows again after it has seen all due rows', () => {
    const size = createPeekSize();
    for (let scans = 0; scans < 9; scans++) size.read(size.rows, 1, true);
    expect(size.rows).toBe(500);
    size.read(3, 3, false);
    expect(size.rows).toBe(20);
  });
});
