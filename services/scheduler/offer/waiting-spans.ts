import { isBehind, justAfter, justBefore, type Mark, type Span } from '../ports/due-references.ts';

/** Jobs of one band in one partition that wait to be read. */
export interface WaitingSpan extends Span {
  /** True if the sweep has found it: its jobs may be on their way, so they do not tell how long the band has waited. */
  isListed?: boolean;
}

/** Spans of one band in one partition, in the order of their keys. No two of them overlap. */
export type WaitingSpans = WaitingSpan[];

/**
 * Adds a span: consecutive rows of the band. Known spans inside of it become longer, up to the next one: their gaps
 * hold no rows of others, and most hold none at all. So at most one span is added, before the first known one.
 * @param isFull the span before it is made longer instead of adding one
 * @param after the key after which this span was read as the very first: a span that ends there is made longer too
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

/** Takes out what of the span has been read. The span may be longer by now; nothing is done if it does not exist. */
export function takeRead(spans: WaitingSpans, { first }: WaitingSpan, readUpTo: Mark, rows: number): void {
  const place = placeOf(spans, first);
  const known = spans[place];
  if (known?.first !== first) return;
  const rest = { ...known, first: justAfter(readUpTo), rows: Math.max(1, known.rows - rows) };
  spans.splice(place, 1, ...(isBehind(known.last, readUpTo) ? [rest] : []));
}

/** @returns the place of the first span that does not end before the mark */
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
