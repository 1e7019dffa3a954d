import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { getRunRatesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { createRateSeries, type RateSeries } from '../../parts/charts/rate-series.ts';
import { createLineRates, createRunRate, type LineRate } from './line-rates.ts';

export interface WatchedRates {
  /** Rate of the whole run over time. New points do not render the component. */
  series: RateSeries;
  lines: readonly LineRate[];
  /** Start of the recorded rates; only the mean is known before. Null if all rates are recorded. */
  notedSince: string | null;
}

/** Records the rate of a run, and loads its history. The view is keyed by the run's id. */
export function useRates(progress: RunProgress): WatchedRates {
  const [{ series, observe, lines, subscribe }] = useState(createRateWatch);
  useEffect(() => observe(progress), [progress, observe]);
  // The history precedes the points that this page records. It is loaded once and never cached: an older answer would
  // leave a gap.
  const noted = { ...getRunRatesOptions({ path: { id: progress.runId } }), staleTime: Infinity, gcTime: 0 };
  const { data: history } = useQuery(noted);
  useEffect(() => {
    if (!history) return;
    series.prepend(
      history.points.map(({ at, usersPerSecond }) => ({ atMs: Date.parse(at), perSecond: usersPerSecond })),
    );
  }, [history, series]);
  return { series, lines: useSyncExternalStore(subscribe, lines), notedSince: history?.notedSince ?? null };
}

function createRateWatch() {
  const series = createRateSeries();
  const whole = createRunRate();
  const rates = createLineRates();
  const listeners = new Set<() => void>();
  let lines: readonly LineRate[] = [];
  return {
    series,
    lines: () => lines,
    observe: (progress: RunProgress) => {
      const perSecond = whole.observe(progress);
      if (perSecond !== null) series.push({ atMs: Date.parse(progress.asOf), perSecond });
      lines = rates.observe(progress);
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
