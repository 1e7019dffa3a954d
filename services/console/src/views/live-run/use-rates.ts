import { useEffect, useState } from 'react';
import type { RunProgress } from '../../api/generated/types.gen.ts';
import { createRateSeries, type RateSeries } from '../../parts/rate-line/rate-series.ts';
import { createLineRates, type LineRate } from './line-rates.ts';

export interface WatchedRates {
  /** Of the whole run over time; what is appended to it renders nothing. */
  series: RateSeries;
  /** Of its steps and countries now. */
  lines: readonly LineRate[];
}

/** How fast a run goes, as far as this page has watched it. The view has one for each run: it is keyed by its id. */
export function useRates(progress: RunProgress): WatchedRates {
  const [{ series, rates }] = useState(() => ({ series: createRateSeries(), rates: createLineRates() }));
  const [lines, setLines] = useState<readonly LineRate[]>([]);
  useEffect(() => {
    series.push({ atMs: Date.parse(progress.asOf), perSecond: progress.usersPerSecond.oneMinute });
    setLines(rates.observe(progress));
  }, [progress, series, rates]);
  return { series, lines };
}
