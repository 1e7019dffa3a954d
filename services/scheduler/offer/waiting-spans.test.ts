import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import { jobIdOf } from '../../../test/support/conformance/job-subject.ts';
import { isAfter, type Mark } from '../ports/due-references.ts';
import { addSpan, isWithin, takeRead, type WaitingSpan, type WaitingSpans } from './waiting-spans.ts';

const keyAt = (place: number): Mark => ({ dueUs: 1 + place, jobId: jobIdOf(7) });
const spanOf = (from: number, to: number): WaitingSpan => ({
  first: keyAt(from),
  last: keyAt(to),
  rows: to - from + 1,
});
const places = Array.from({ length: 40 }, (_, place) => place);
const within = (spans: WaitingSpans) => places.filter((place) => isWithin(spans, keyAt(place)));

describe('the waiting spans of a client', () => {
  it('cover exactly the jobs that were added and not read, in order and without overlap', () => {
    const span = fc.tuple(fc.integer({ min: 0, max: 39 }), fc.integer({ min: 0, max: 12 }));
    const step = fc.record({ span, isRead: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        const spans: WaitingSpans = [];
        const waiting = new Set<number>();
        for (const {
          span: [from, length],
          isRead,
        } of steps) {
          const to = Math.min(39, from + length);
          if (isRead) {
            // A reader reads one span from its beginning, but perhaps not to its end.
            const [read] = spans;
            const covered = read ? within([read]) : [];
            const upTo = Math.max(to, covered[0] ?? 0);
            if (read) takeRead(spans, read, keyAt(upTo), 1);
            for (const place of covered) if (place <= upTo) waiting.delete(place);
          } else {
            addSpan(spans, spanOf(from, to));
            for (const place of places) if (place >= from && place <= to) waiting.add(place);
          }
          expect(within(spans)).toEqual([...waiting].sort((a, b) => a - b));
          for (const [place, each] of spans.entries()) {
            expect(isAfter(each.first, each.last)).toBe(false);
            const next = spans[place + 1];
            if (next) expect(isAfter(next.first, each.last)).toBe(true);
          }
        }
      }),
    );
  });

  it('extend the last span if there are too many spans, even while that span is being read', () => {
    const spans: WaitingSpans = [];
    addSpan(spans, spanOf(3, 3), true);
    const [read] = spans;
    if (!read) throw new Error('nothing was added');
    addSpan(spans, spanOf(9, 9), true);
    expect(spans).toHaveLength(1);
    takeRead(spans, read, read.last, 1);
    expect(within(spans)).toEqual([4, 5, 6, 7, 8, 9]);
  });

  it('are extended by a span of the sweep that covers them and the gaps between them', () => {
    const spans: WaitingSpans = [];
    for (const place of [3, 9, 15]) addSpan(spans, spanOf(place, place));
    addSpan(spans, { ...spanOf(3, 20), isListed: true });
    expect(spans.map(({ rows, isListed }) => [rows, isListed])).toEqual([1, 1, 1].map((rows) => [rows, undefined]));
    expect(within(spans)).toEqual(places.slice(3, 21));
  });

  it("count one job for the part of a sweep's span before the first span", () => {
    const spans: WaitingSpans = [];
    for (const place of [9, 15]) addSpan(spans, spanOf(place, place));
    addSpan(spans, spanOf(3, 20));
    expect(spans.map(({ rows }) => rows)).toEqual([1, 1, 1]);
    expect(within(spans)).toEqual(places.slice(3, 21));
  });

  it.each([
    ['between existing spans', spanOf(5, 6)],
    ['over existing spans', spanOf(5, 12)],
  ])('get a new span %s as an extension of the previous one if there are too many spans', (_, added) => {
    const spans: WaitingSpans = [];
    for (const place of [3, 9]) addSpan(spans, spanOf(place, place));
    addSpan(spans, added, true);
    expect(spans).toHaveLength(2);
    expect(within(spans)).toEqual(expect.arrayContaining(places.slice(5, 1 + added.last.dueUs - 1)));
  });

  it('are not changed by a read of a span that another read has removed', () => {
    const spans: WaitingSpans = [];
    addSpan(spans, spanOf(3, 8));
    const [read] = spans;
    if (!read) throw new Error('nothing was added');
    takeRead(spans, read, keyAt(5), 3);
    takeRead(spans, read, keyAt(8), 6);
    expect(within(spans)).toEqual([6, 7, 8]);
  });
});
