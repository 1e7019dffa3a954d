import { sparkPath } from './spark-path.ts';

interface SparklineProps {
  /** Oldest first; null where nobody knows. */
  values: readonly (number | null)[];
  /** Below this, the line stays low: what is quiet is flat. */
  atLeast: number;
  isBad?: boolean;
  /** All that it says, in words. */
  label: string;
}

const width = 84;
const height = 22;

/** How something went, without axes: the shape alone. */
export function Sparkline({ values, atLeast, isBad = false, label }: SparklineProps) {
  const { path, end } = sparkPath(values, { width, height, atLeast });
  return (
    <svg className={isBad ? 'spark bad' : 'spark'} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} />
      {end && <circle cx={end.x} cy={end.y} r="2" />}
    </svg>
  );
}
