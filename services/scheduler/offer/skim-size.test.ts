import { describe, expect, it } from 'vitest';
import { createSkimSize } from './skim-size.ts';

/** Rows of each look past a crowd that has so many rows in so many partitions, and none in the others. */
function looksPast(rowsOfPartition: number, partitions: number): number[] {
  const size = createSkimSize();
  const looks: number[] = [];
  for (let left = rowsOfPartition; left > 0;) {
    const read = Math.min(size.rows, left);
    const isFull = read === size.rows;
    looks.push(read * partitions);
    left -= read;
    size.read(read * partitions, isFull);
  }
  return looks;
}

describe('a look past clients that are behind', () => {
  it.each([1, 2, 5, 20, 64])('reads 1,280 rows at most, however many are due in %s partitions', (partitions) => {
    expect(Math.max(...looksPast(16_000, partitions))).toBeLessThanOrEqual(1280);
  });

  it('reads a crowd in one partition by 500 rows soon', () => {
    const looks = looksPast(5000, 1);
    expect(looks.slice(0, 6)).toEqual([20, 40, 80, 160, 320, 500]);
    expect(looks.length).toBeLessThan(16);
  });

  it('begins with few rows again after it has seen all that is due', () => {
    const size = createSkimSize();
    for (let looks = 0; looks < 9; looks++) size.read(size.rows, true);
    expect(size.rows).toBe(500);
    size.read(3, false);
    expect(size.rows).toBe(20);
  });
});
