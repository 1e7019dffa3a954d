import { useEffect, useState } from 'react';

const patienceMs = 200;

/** True after 200 ms: what comes sooner needs no skeleton, which would only flicker. */
export function usePatience(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return over;
}

interface SkeletonRowsProps {
  rows: number;
  /** Widths of the columns' bars, in pixels; 0 leaves one out. */
  columns: readonly number[];
  /** Rows of two lines. */
  tall?: boolean;
}

/** Rows of a table at their true height, so that nothing jumps when they come. */
export function SkeletonRows({ rows, columns, tall = false }: SkeletonRowsProps) {
  const shown = usePatience();
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} className={tall ? 'tall' : undefined} aria-hidden="true">
      {columns.map((width, column) => (
        <td key={column}>{shown && width > 0 && <SkeletonBar width={width - ((row * 13 + column * 7) % 24)} />}</td>
      ))}
    </tr>
  ));
}

export function SkeletonBar({ width }: { width: number | string }) {
  return <span className="sk" style={{ width }} />;
}
