import { describe, expect, it } from 'vitest';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { firstMark } from '../ports/due-references.ts';
import { createMarks, firstSweepAfterMs } from './marks.ts';

const markAt = (dueUs: number, job = 1) => ({ dueUs, jobId: jobIdOf(job) });

function setUp(...owned: number[]) {
  const marks = createMarks();
  marks.own(owned);
  return marks;
}

describe('the mark (read position) of a partition', () => {
  it('moves only forward, even among jobs with the same due time', () => {
    const marks = setUp(7);
    marks.advance(7, markAt(50, 1));
    marks.advance(7, markAt(50, 2));
    expect(marks.of(7)).toEqual(markAt(50, 2));
    marks.advance(7, markAt(50, 1));
    marks.advance(7, markAt(40, 3));
    expect(marks.of(7)).toEqual(markAt(50, 2));
  });

  it('is kept only for owned partitions', () => {
    const marks = setUp(7);
    marks.advance(8, markAt(50));
    expect([marks.size, marks.of(8)]).toEqual([1, firstMark]);
  });

  it('is kept while its partition is owned, and starts at the beginning after another process owned the partition', () => {
    const marks = setUp(7, 8);
    for (const partition of [7, 8]) marks.advance(partition, markAt(50));
    expect(marks.own([8, 7])).toBe(false);
    expect(marks.own([7, 9])).toBe(true);
    expect(marks.all()).toEqual([
      { partition: 7, ...markAt(50) },
      { partition: 9, ...firstMark },
    ]);
    expect(marks.own([7, 8])).toBe(true);
    expect(marks.of(8)).toEqual(firstMark);
  });

  it('counts as settled ten seconds after scans have read beyond it', () => {
    const marks = setUp(7);
    marks.advance(7, markAt(50));
    marks.keepHistory(1000);
    marks.advance(7, markAt(60));
    marks.keepHistory(2000);
    expect(marks.settledOf(7, 1000 + firstSweepAfterMs - 1)).toEqual(firstMark);
    expect(marks.settledOf(7, 1000 + firstSweepAfterMs)).toEqual(markAt(50));
    for (let ms = 3000; ms <= 2000 + firstSweepAfterMs; ms += 1000) marks.keepHistory(ms);
    expect(marks.settledOf(7, 2000 + firstSweepAfterMs)).toEqual(markAt(60));
  });

  it('counts as settled at once if a dispatcher disappears', () => {
    const marks = setUp(7);
    marks.advance(7, markAt(50));
    marks.settle();
    expect(marks.settledOf(7, 0)).toEqual(markAt(50));
  });
});
