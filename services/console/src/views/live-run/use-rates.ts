import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { getRunRatesOptions } from '../../api/generated/@tanstack/react-query.gen.ts';
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
  const [{ series, observe, lines, subscribe }] = useState(createRateWatch);
  useEffect(() => observe(progress), [progress, observe]);
  const { data: history } = useQuery({ ...getRunRatesOptions({ path: { id: progress.runId } }), staleTime: Infinity });
  useEffect(() => {
    if (!history) return;
    series.prepend(
      history.points.map(({ at, usersPerSecond }) => ({ atMs: Date.parse(at), perSecond: usersPerSecond })),
    );
  }, [history, series]);
  return { series, lines: useSyncExternalStore(subscribe, lines) };
}

function createRateWatch() {
  const series = createRateSeries();
  const rates = createLineRates();
  const listeners = new Set<() => void>();
  let lines: readonly LineRate[] = [];
  return {
    series,
    lines: () => lines,
    observe: (progress: RunProgress) => {
      // What has ended is drawn by its history: it would only go on at nothing.
      if (progress.endedAt === null) {
        series.push({ atMs: Date.parse(progress.asOf), perSecond: progress.usersPerSecond.oneMinute });
      }
      lines = rates.observe(progress);
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
