import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { getRunRatesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { createRateSeries, type RateSeries } from '../../parts/charts/rate-series.ts';
import { createLineRates, createRunRate, type LineRate } from './line-rates.ts';

export interface WatchedRates {
  /** Of the whole run over time; what is appended to it renders nothing. */
  series: RateSeries;
  /** Of its steps and countries now. */
  lines: readonly LineRate[];
  /** Before it, only the mean since the start is known; null where all is. */
  notedSince: string | null;
}

/** How fast a run goes, and has gone since it began. The view has one for each run: it is keyed by its id. */
export function useRates(progress: RunProgress): WatchedRates {
  const [{ series, observe, lines, subscribe }] = useState(createRateWatch);
  useEffect(() => observe(progress), [progress, observe]);
  // What was noted up to now goes in front of what this page sees from now on: an older answer would leave a gap
  // between them.
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
