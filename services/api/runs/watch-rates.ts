import { LRUCache } from 'lru-cache';
import type { RunSnapshot } from './run-reports.port.ts';

/** Rates in users per second. */
export interface Rates {
  /** Number of users' steps that ended per second; a user counts once for each step. */
  oneMinute: number;
  tenMinutes: number;
  /** Number of users who were fed in the last minute, per second; each counts once. A pace limits this rate. */
  fed: number;
  through: number;
  /** True if no step has ended for much longer than usual. The rates then do not predict the end. */
  isStill: boolean;
}

export interface WatchRates {
  /** Returns the rates at the time of the snapshot. The first call for a run returns the means since its start. */
  observe(snapshot: RunSnapshot): Rates;
}

interface Sample {
  atMs: number;
  /** Number of users' steps that had succeeded, failed or become unknown. */
  ended: number;
  batches: number;
  fed: number;
  through: number;
}

interface Seen {
  samples: Sample[];
  /** Last sample in which more users had ended than in the previous sample. */
  lastMoved: Sample;
}

const oneMinuteMs = 60_000;
const tenMinutesMs = 600_000;

/** Minimum interval between samples, in milliseconds. Shorter intervals use memory without improving the rates. */
const minGapMs = 1000;

/** A run counts as stopped after this number of usual intervals between batches, but not before `stillAfterMs`. */
const stillAfterPauses = 3;
const stillAfterMs = 5000;

/**
 * Creates the rates.
 * @param maxRuns maximum number of runs in memory; the run that was not observed for the longest time is dropped first
 */
export function createWatchRates({ maxRuns }: { maxRuns: number }): WatchRates {
  const seenByRun = new LRUCache<string, Seen>({ max: maxRuns });

  return {
    observe: (snapshot) => {
      const now = {
        atMs: snapshot.asOf.getTime(),
        ended: endedSteps(snapshot),
        batches: endedBatches(snapshot),
        fed: fedUsers(snapshot),
        through: throughUsers(snapshot),
      };
      const seen = seenByRun.get(snapshot.runId) ?? { samples: firstSamples(snapshot), lastMoved: now };
      seenByRun.set(snapshot.runId, seen);
      const { samples } = seen;
      if (now.ended > seen.lastMoved.ended) seen.lastMoved = now;
      if (snapshot.endedAt) add(samples, { ...now, atMs: snapshot.endedAt.getTime() });
      const rates = {
        oneMinute: rate(samples, now, oneMinuteMs),
        tenMinutes: rate(samples, now, tenMinutesMs),
        fed: rate(samples, now, oneMinuteMs, 'fed'),
        through: rate(samples, now, oneMinuteMs, 'through'),
        isStill: isStill(seen, now),
      };
      add(samples, now);
      forget(samples, now.atMs - tenMinutesMs);
      return rates;
    },
  };
}

/** Returns a sample for the start of the run, when no step had ended. */
function firstSamples({ startedAt }: RunSnapshot): Sample[] {
  return startedAt ? [{ atMs: startedAt.getTime(), ended: 0, batches: 0, fed: 0, through: 0 }] : [];
}

/**
 * Returns the number of ended steps without expired and cancelled users, because those do not show the speed of the
 * run.
 */
function endedSteps({ countries }: RunSnapshot): number {
  return countries.flatMap(({ totals }) => totals).reduce((sum, t) => sum + t.succeeded + t.failed + t.unknown, 0);
}

function fedUsers({ countries }: RunSnapshot): number {
  return countries.reduce((sum, feed) => sum + feed.fedUsers, 0);
}

function throughUsers({ countries, chain }: RunSnapshot): number {
  const last = countries.flatMap(({ totals }) => totals).filter(({ step }) => step === chain.length);
  return last.reduce((sum, { succeeded }) => sum + succeeded, 0);
}

function endedBatches({ countries }: RunSnapshot): number {
  return countries.flatMap(({ totals }) => totals).reduce((sum, { batches }) => sum + batches, 0);
}

/**
 * Compares the time without ended batches with the mean interval between batches, which is known from the samples or
 * since the start.
 */
function isStill({ samples, lastMoved }: Seen, now: Sample): boolean {
  const [first] = samples;
  const batches = lastMoved.batches - (first?.batches ?? 0);
  const pauseMs = first && batches > 0 ? (lastMoved.atMs - first.atMs) / batches : 0;
  return now.atMs - lastMoved.atMs > Math.max(stillAfterMs, stillAfterPauses * pauseMs);
}

/** Returns the rate since the newest sample before the window, otherwise since the oldest sample. */
function rate(
  samples: readonly Sample[],
  now: Sample,
  windowMs: number,
  of: 'ended' | 'fed' | 'through' = 'ended',
): number {
  const base = samples.findLast(({ atMs }) => atMs <= now.atMs - windowMs) ?? samples[0];
  if (!base || base.atMs >= now.atMs) return 0;
  return ((now[of] - base[of]) * 1000) / (now.atMs - base.atMs);
}

function add(samples: Sample[], sample: Sample): void {
  const last = samples.at(-1);
  if (!last || sample.atMs - last.atMs >= minGapMs) samples.push(sample);
}

/** Drops samples before the window, except the newest of them, at which the window begins. */
function forget(samples: Sample[], beforeMs: number): void {
  const newestOld = samples.findLastIndex(({ atMs }) => atMs <= beforeMs);
  if (newestOld > 0) samples.splice(0, newestOld);
}
