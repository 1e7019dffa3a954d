import { sparkPath } from './spark-path.ts';

interface SparklineProps {
  /** Values, oldest first; null if unknown. */
  values: readonly (number | null)[];
  /** Least value of the top edge, so that small values look flat. */
  atLeast: number;
  isBad?: boolean;
  label: string;
}

const width = 84;
const height = 22;

export function Sparkline({ values, atLeast, isBad = false, label }: SparklineProps) {
  const { path, end } = sparkPath(values, { width, height, atLeast });
  return (
    <svg className={isBad ? 'spark bad' : 'spark'} viewBox={`0 0 ${width} ${height}`} role="img" aria-label={label}>
      <path d={path} />
      {end && <circle cx={end.x} cy={end.y} r="2" />}
    </svg>
  );
}
