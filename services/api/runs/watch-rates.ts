import { LRUCache } from 'lru-cache';
import type { RunSnapshot } from './run-reports.port.ts';

/** Rates in users per second. */
export interface Rates {
  /** Users that ended a step; a user counts once per step. */
  oneMinute: number;
  tenMinutes: number;
  /** Users fed over the last minute, each counted once. A pace limits this rate. */
  fed: number;
  through: number;
  /** True if nothing has ended for much longer than usual: the rates then do not predict the end. */
  isStill: boolean;
}

export interface WatchRates {
  /** Returns rates as of the snapshot. The first call for a run returns the mean since its start. */
  observe(snapshot: RunSnapshot): Rates;
}

interface Sample {
  atMs: number;
  /** Steps of users that had ended: succeeded, failed or unknown. */
  ended: number;
  batches: number;
  fed: number;
  through: number;
}

interface Seen {
  samples: Sample[];
  /** The last sample that had more ended users than the sample before it. */
  lastMoved: Sample;
}

const oneMinuteMs = 60_000;
const tenMinutesMs = 600_000;

/** Minimum distance of samples: closer ones use memory without improving the rate. */
const minGapMs = 1000;

/** A run is still after this many usual pauses between batches, and at least `stillAfterMs`. */
const stillAfterPauses = 3;
const stillAfterMs = 5000;

/** @param maxRuns limit of runs in memory; the least recently observed run is evicted first */
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

/** Returns a sample at the start of the run, when nothing had ended. */
function firstSamples({ startedAt }: RunSnapshot): Sample[] {
  return startedAt ? [{ atMs: startedAt.getTime(), ended: 0, batches: 0, fed: 0, through: 0 }] : [];
}

/** Returns ended steps without expired and cancelled users, because those do not show the run's speed. */
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

/** Compares with the mean pause between batches that ended between samples, or since the start. */
function isStill({ samples, lastMoved }: Seen, now: Sample): boolean {
  const [first] = samples;
  const batches = lastMoved.batches - (first?.batches ?? 0);
  const pauseMs = first && batches > 0 ? (lastMoved.atMs - first.atMs) / batches : 0;
  return now.atMs - lastMoved.atMs > Math.max(stillAfterMs, stillAfterPauses * pauseMs);
}

/** Returns the rate since the newest sample outside of the window, or else since the oldest sample. */
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

/** Keeps the newest sample outside of the window, where the window begins. */
function forget(samples: Sample[], beforeMs: number): void {
  const newestOld = samples.findLastIndex(({ atMs }) => atMs <= beforeMs);
  if (newestOld > 0) samples.splice(0, newestOld);
}
