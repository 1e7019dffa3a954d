import { isBehind, justAfter, justBefore, type Mark, type Span } from '../ports/due-references.ts';

export interface WaitingSpan extends Span {
  /** True if the sweep found the span: its jobs may be on their way, and do not count as waiting time. */
  isListed?: boolean;
}

/** Spans of one band in one partition, in the order of their keys. No two of them overlap. */
export type WaitingSpans = WaitingSpan[];

/**
 * Adds a span of consecutive rows of the band. Known spans inside it are extended up to the next one, because their
 * gaps hold no rows of others, and mostly none at all. So at most one span is added, before the first known one.
 * @param isFull extends the previous span instead of adding one
 * @param after key after which this span was read first; a span that ends there is extended too
 */
export function addSpan(spans: WaitingSpans, span: WaitingSpan, isFull = false, after?: Mark): void {
  let place = placeOf(spans, span.first);
  const next = spans[place];
  if (!next || isBehind(next.first, span.first)) {
    const isCut = next !== undefined && !isBehind(next.first, span.last);
    // The number of its jobs before the next span is unknown.
    const part = isCut ? { ...span, last: justBefore(next.first), rows: 1 } : span;
    const before = spans[place - 1];
    if (before && (isFull || endsAt(before, after)))
      spans[place - 1] = { ...before, last: part.last, rows: before.rows + part.rows };
    else spans.splice(place++, 0, part);
  }
  for (let known = spans[place]; known && !isBehind(known.first, span.last); known = spans[++place]) {
    const after = spans[place + 1];
    const last = after && !isBehind(after.first, span.last) ? justBefore(after.first) : span.last;
    if (isBehind(last, known.last)) spans[place] = { ...known, last };
  }
}

function endsAt({ last, isListed = false }: WaitingSpan, mark: Mark | undefined): boolean {
  return mark !== undefined && !isListed && last.dueUs === mark.dueUs && last.jobId === mark.jobId;
}

export function isWithin(spans: WaitingSpans, mark: Mark): boolean {
  const span = spans[placeOf(spans, mark)];
  return span !== undefined && !isBehind(span.first, mark);
}

/** Removes the jobs that were read from the span, which may be longer by now. No effect if it does not exist. */
export function takeRead(spans: WaitingSpans, { first }: WaitingSpan, readUpTo: Mark, rows: number): void {
  const place = placeOf(spans, first);
  const known = spans[place];
  if (known?.first !== first) return;
  const rest = { ...known, first: justAfter(readUpTo), rows: Math.max(1, known.rows - rows) };
  spans.splice(place, 1, ...(isBehind(known.last, readUpTo) ? [rest] : []));
}

/** @returns the index of the first span that does not end before the mark */
function placeOf(spans: WaitingSpans, mark: Mark): number {
  let [low, high] = [0, spans.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const span = spans[middle];
    if (span && isBehind(mark, span.last)) low = middle + 1;
    else high = middle;
  }
  return low;
}
