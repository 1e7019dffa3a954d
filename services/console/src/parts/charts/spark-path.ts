interface SparkFrame {
  width: number;
  height: number;
  /** Smallest value that the top edge may represent, so that small values look flat. */
  atLeast: number;
}

const edge = 3;

/** Returns the path through the known values, and its last point. Gaps stay gaps. */
export function sparkPath(values: readonly (number | null)[], { width, height, atLeast }: SparkFrame) {
  const most = Math.max(atLeast, ...values.map((value) => value ?? 0));
  const step = values.length < 2 ? 0 : (width - 2 * edge) / (values.length - 1);
  const points = values.map((value, index) =>
    value === null
      ? null
      : { x: rounded(edge + index * step), y: rounded(height - edge - (value / most) * (height - 2 * edge)) },
  );
  const path = points
    .map((point, index) =>
      point === null ? '' : `${(points[index - 1] ?? null) === null ? 'M' : 'L'}${point.x} ${point.y}`,
    )
    .join('');
  return { path, end: points.findLast((point) => point !== null) ?? null };
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
