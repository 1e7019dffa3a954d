interface IntervalPlotProps {
  value: number;
  low: number;
  high: number;
  /** The axis reaches from minus this number to plus this number. */
  limit: number;
  /** A filled dot marks a decided value, a ring an undecided one. */
  isDecided: boolean;
  label: string;
}

/** A value with its confidence interval, on an axis whose middle is 0. */
export function IntervalPlot({ value, low, high, limit, isDecided, label }: IntervalPlotProps) {
  const at = (number: number) => `${Math.min(100, Math.max(0, (number / limit + 1) * 50))}%`;
  const width = `${((Math.min(limit, high) - Math.max(-limit, low)) / limit) * 50}%`;
  return (
    <div className="interval" role="img" aria-label={label}>
      <i className="zero" />
      <i className="range" style={{ left: at(low), width }} />
      <i className={isDecided ? 'dot' : 'dot open'} style={{ left: at(value) }} />
    </div>
  );
}
