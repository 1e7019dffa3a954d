import { useEffect, useState } from 'react';

const patienceMs = 200;

/** Returns true after 200 ms: a skeleton that is shown for less time would only flicker. */
export function useHasWaited(): boolean {
  const [over, setOver] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setOver(true), patienceMs);
    return () => clearTimeout(timer);
  }, []);
  return over;
}

interface SkeletonRowsProps {
  rows: number;
  /** Widths of the bars in pixels; 0 means no bar in that column. */
  columns: readonly number[];
  tall?: boolean;
}

/** Grey rows of a table at their final height, so that the page does not move when the rows arrive. */
export function SkeletonRows({ rows, columns, tall = false }: SkeletonRowsProps) {
  const isVisible = useHasWaited();
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} className={tall ? 'tall' : undefined} aria-hidden="true">
      {columns.map((width, column) => (
        <td key={column}>{isVisible && width > 0 && <SkeletonBar width={width - ((row * 13 + column * 7) % 24)} />}</td>
      ))}
    </tr>
  ));
}

export function SkeletonBar({ width }: { width: number | string }) {
  return <span className="sk" style={{ width }} />;
}
