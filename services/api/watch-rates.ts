import { LRUCache } from 'lru-cache';
import type { RunSnapshot } from './ports/run-reports.ts';

/** Users per second that ended a step. */
export interface Rates {
  oneMinute: number;
  tenMinutes: number;
}

/** Remembers how far runs were when somebody looked, which is all that a rate needs. */
export interface WatchRates {
  /** Rates as of the snapshot. Who looks for the first time gets the mean since the run started. */
  observe(snapshot: RunSnapshot): Rates;
}

interface Sample {
  atMs: number;
  /** Steps of users that had ended by then. */
  ended: number;
}

const oneMinuteMs = 60_000;
const tenMinutesMs = 600_000;

/** Closer looks would fill the memory and not sharpen the rate. */
const minGapMs = 1000;

/** @param maxRuns runs remembered at once; the one longest unwatched is forgotten first */
export function createWatchRates({ maxRuns }: { maxRuns: number }): WatchRates {
  const samplesByRun = new LRUCache<string, Sample[]>({ max: maxRuns });

  return {
    observe: (snapshot) => {
      const now = { atMs: snapshot.asOf.getTime(), ended: endedSteps(snapshot) };
      const samples = samplesByRun.get(snapshot.runId) ?? firstSamples(snapshot);
      samplesByRun.set(snapshot.runId, samples);
      if (snapshot.endedAt) add(samples, { atMs: snapshot.endedAt.getTime(), ended: now.ended });
      const rates = { oneMinute: rate(samples, now, oneMinuteMs), tenMinutes: rate(samples, now, tenMinutesMs) };
      add(samples, now);
      forget(samples, now.atMs - tenMinutesMs);
      return rates;
    },
  };
}

/** When the run started nothing had ended: that much is known of the time before anybody looked. */
function firstSamples({ startedAt }: RunSnapshot): Sample[] {
  return startedAt ? [{ atMs: startedAt.getTime(), ended: 0 }] : [];
}

function endedSteps({ countries }: RunSnapshot): number {
  return countries
    .flatMap(({ totals }) => totals)
    .reduce((sum, t) => sum + t.succeeded + t.failed + t.expired + t.cancelled + t.unknown, 0);
}

/** Since the newest sample that is as old as the window, or the oldest there is. */
function rate(samples: readonly Sample[], now: Sample, windowMs: number): number {
  const base = samples.findLast(({ atMs }) => atMs <= now.atMs - windowMs) ?? samples[0];
  if (!base || base.atMs >= now.atMs) return 0;
  return ((now.ended - base.ended) * 1000) / (now.atMs - base.atMs);
}

function add(samples: Sample[], sample: Sample): void {
  const last = samples.at(-1);
  if (!last || sample.atMs - last.atMs >= minGapMs) samples.push(sample);
}

/** Keeps the newest of the samples that are older than the window: it is what the window begins with. */
function forget(samples: Sample[], beforeMs: number): void {
  const newestOld = samples.findLastIndex(({ atMs }) => atMs <= beforeMs);
  if (newestOld > 0) samples.splice(0, newestOld);
}
