export interface RatePoint {
  atMs: number;
  perSecond: number;
}

/** Points of a chart, kept outside of React: updates come twice a second and must not render the page. */
export interface RateSeries {
  points(): readonly RatePoint[];
  /** Appends a point. Ignores a point that is not newer than the last one. */
  push(point: RatePoint): void;
  /** Inserts earlier points before those that were pushed. */
  prepend(history: readonly RatePoint[]): void;
  subscribe(listener: () => void): () => void;
}

/** Upper bound on the points: more than there are pixels add no detail. */
const maxPoints = 1200;

export function createRateSeries(): RateSeries {
  let points: RatePoint[] = [];
  const listeners = new Set<() => void>();
  const change = (next: RatePoint[]) => {
    points = next;
    for (const listener of listeners) listener();
  };

  return {
    points: () => points,
    push: (point) => {
      const last = points.at(-1);
      if (last && point.atMs <= last.atMs) return;
      change(thinned([...points, point]));
    },
    prepend: (history) => {
      const first = points[0]?.atMs ?? Infinity;
      change(thinned([...history.filter(({ atMs }) => atMs < first), ...points]));
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Drops every second point of the older half, so that the newest stay exact. */
function thinned(points: RatePoint[]): RatePoint[] {
  if (points.length <= maxPoints) return points;
  const half = Math.floor(points.length / 2);
  return points.filter((_, index) => index >= half || index % 2 === 0);
}

export interface RateSummary {
  now: number;
  highest: number;
  sinceMs: number;
}

export function summaryOf(points: readonly RatePoint[]): RateSummary | null {
  const [first, last] = [points[0], points.at(-1)];
  if (!first || !last) return null;
  const highest = points.reduce((max, { perSecond }) => Math.max(max, perSecond), 0);
  return { now: last.perSecond, highest, sinceMs: first.atMs };
}

/** Returns the top of the scale: at most four steps of 1, 2 or 5 times a power of ten, so that it rarely changes. */
export function scaleTop(highest: number): number {
  if (highest <= 0) return 10;
  const step = niceStep(highest / 4);
  return Math.ceil(highest / step) * step;
}

function niceStep(size: number): number {
  const power = 10 ** Math.floor(Math.log10(size));
  return ([1, 2, 5].find((factor) => factor * power >= size) ?? 10) * power;
}
