import { isAfter, justAfter, justBefore, type Mark, type Span } from '../ports/due-references.ts';

export interface WaitingSpan extends Span {
  /** True if the sweep found the span. Its jobs may have been offered before, so they do not count as waiting. */
  isListed?: boolean;
}

/** Spans of one band in one partition, in the order of their keys. No two of them overlap. */
export type WaitingSpans = WaitingSpan[];

/**
 * Adds a span of consecutive rows of the band. Spans in the list that lie within the new span are extended, so that
 * there are no gaps between them. The gaps contain no rows of other bands, and mostly no rows at all. If the new span
 * begins before all of them, that part is added as a span of its own.
 * @param isFull true if the part is to be added to the previous span instead
 * @param after key at which the read began, if this span directly follows it; a previous span that ends there is
 * extended
 */
export function addSpan(spans: WaitingSpans, span: WaitingSpan, isFull = false, after?: Mark): void {
  let place = placeOf(spans, span.first);
  const next = spans[place];
  if (!next || isAfter(next.first, span.first)) {
    const isCut = next !== undefined && !isAfter(next.first, span.last);
    // The number of jobs before the next span is unknown.
    const part = isCut ? { ...span, last: justBefore(next.first), rows: 1 } : span;
    const before = spans[place - 1];
    if (before && (isFull || endsAt(before, after)))
      spans[place - 1] = { ...before, last: part.last, rows: before.rows + part.rows };
    else spans.splice(place++, 0, part);
  }
  for (let known = spans[place]; known && !isAfter(known.first, span.last); known = spans[++place]) {
    const after = spans[place + 1];
    const last = after && !isAfter(after.first, span.last) ? justBefore(after.first) : span.last;
    if (isAfter(last, known.last)) spans[place] = { ...known, last };
  }
}

function endsAt({ last, isListed = false }: WaitingSpan, mark: Mark | undefined): boolean {
  return mark !== undefined && !isListed && last.dueUs === mark.dueUs && last.jobId === mark.jobId;
}

export function isWithin(spans: WaitingSpans, mark: Mark): boolean {
  const span = spans[placeOf(spans, mark)];
  return span !== undefined && !isAfter(span.first, mark);
}

/**
 * Removes the jobs that were read from the beginning of a span. The span may have become longer since the read. If the
 * span no longer exists, this has no effect.
 */
export function takeRead(spans: WaitingSpans, { first }: WaitingSpan, readUpTo: Mark, rows: number): void {
  const place = placeOf(spans, first);
  const known = spans[place];
  if (known?.first !== first) return;
  const rest = { ...known, first: justAfter(readUpTo), rows: Math.max(1, known.rows - rows) };
  spans.splice(place, 1, ...(isAfter(known.last, readUpTo) ? [rest] : []));
}

/** @returns the index of the first span that does not end before the mark */
function placeOf(spans: WaitingSpans, mark: Mark): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span && isAfter(mark, span.last)) low = middle + 1;
    else high = middle;
  }
  return low;
}
