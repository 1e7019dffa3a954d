import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, useSyncExternalStore } from 'react';
import { getRunRatesOptions } from '#client/@tanstack/react-query.gen.ts';
import type { RunProgress } from '#client/types.gen.ts';
import { createRateSeries, type RateSeries } from '../../../parts/charts/rate-series.ts';
import { createLineRates, createRunRate, type LineRate } from '../figures/line-rates.ts';

export interface RunRates {
  /** Rate of the whole run over time. New points do not render the component. */
  series: RateSeries;
  lines: readonly LineRate[];
  /**
   * Time from which rates are recorded. For the time before, only the mean is known. Null if all rates are recorded.
   */
  recordedSince: string | null;
}

/**
 * Records the rate of a run, and loads its history. The view has the run's id as its React key, so that another run
 * gets a new state.
 */
export function useRates(progress: RunProgress): RunRates {
  const [{ series, observe, lines, subscribe }] = useState(createRateWatch);
  useEffect(() => observe(progress), [progress, observe]);
  // The history ends where the points begin that this page records. It is loaded once and never cached: an older
  // response would leave a gap before these points.
  const options = { ...getRunRatesOptions({ path: { id: progress.runId } }), staleTime: Infinity, gcTime: 0 };
  const { data: history } = useQuery(options);
  useEffect(() => {
    if (!history) return;
    series.prepend(
      history.points.map(({ at, usersPerSecond }) => ({ atMs: Date.parse(at), perSecond: usersPerSecond })),
    );
  }, [history, series]);
  return { series, lines: useSyncExternalStore(subscribe, lines), recordedSince: history?.notedSince ?? null };
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
