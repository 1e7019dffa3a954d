import { LRUCache } from 'lru-cache';
import type { RunSnapshot } from './run-reports.port.ts';

/** Users per second. */
export interface Rates {
  /** That ended a step: a user counts once for each. */
  oneMinute: number;
  tenMinutes: number;
  /** Over the last minute, each user once: fed, and through the chain. A pace is of the first. */
  fed: number;
  through: number;
  /**
   * Nothing has ended for much longer than is usual between two batches: the rates tell of the past, and nothing of the
   * end.
   */
  isStill: boolean;
}

/** Remembers how far runs were at the last looks, which is all that a rate needs. */
export interface WatchRates {
  /** Rates as of the snapshot. Who looks for the first time gets the mean since the run started. */
  observe(snapshot: RunSnapshot): Rates;
}

interface Sample {
  atMs: number;
  /** Steps of users that had ended by then: succeeded, failed or unknown. */
  ended: number;
  /** Batches that had ended a step. */
  batches: number;
  /** Users. */
  fed: number;
  through: number;
}

/** What is remembered of a run. */
interface Seen {
  samples: Sample[];
  /** The look at which something had ended since the look before. */
  lastMoved: Sample;
}

const oneMinuteMs = 60_000;
const tenMinutesMs = 600_000;

/** Closer looks would fill the memory and not sharpen the rate. */
const minGapMs = 1000;

/**
 * How many times the usual pause between two batches may pass before a run counts as still, and how long that is at
 * least.
 */
const stillAfterPauses = 3;
const stillAfterMs = 5000;

/** @param maxRuns runs remembered at once; the one longest unwatched is forgotten first */
export function createWatchRates({ maxRuns }: { maxRuns: number }): WatchRates {
  const seenByRun = new LRUCache<string, Seen>({ max: maxRuns });

  return {
    observe: (snapshot) => {
      const now = {
        ...{ atMs: snapshot.asOf.getTime(), ended: endedSteps(snapshot), batches: endedBatches(snapshot) },
        ...{ fed: fedUsers(snapshot), through: throughUsers(snapshot) },
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

/** When the run started nothing had ended: that much is known of the time before the first look. */
function firstSamples({ startedAt }: RunSnapshot): Sample[] {
  return startedAt ? [{ atMs: startedAt.getTime(), ended: 0, batches: 0, fed: 0, through: 0 }] : [];
}

/** Neither who expired nor who was cancelled tells how fast a run goes. */
function endedSteps({ countries }: RunSnapshot): number {
  return countries.flatMap(({ totals }) => totals).reduce((sum, t) => sum + t.succeeded + t.failed + t.unknown, 0);
}

function fedUsers({ countries }: RunSnapshot): number {
  return countries.reduce((sum, feed) => sum + feed.fedUsers, 0);
}

/** Succeeded at the last step. */
function throughUsers({ countries, chain }: RunSnapshot): number {
  const last = countries.flatMap(({ totals }) => totals).filter(({ step }) => step === chain.length);
  return last.reduce((sum, { succeeded }) => sum + succeeded, 0);
}

function endedBatches({ countries }: RunSnapshot): number {
  return countries.flatMap(({ totals }) => totals).reduce((sum, { batches }) => sum + batches, 0);
}

/** By the mean pause between the batches that ended between looks, or since the start. */
function isStill({ samples, lastMoved }: Seen, now: Sample): boolean {
  const [first] = samples;
  const batches = lastMoved.batches - (first?.batches ?? 0);
  const pauseMs = first && batches > 0 ? (lastMoved.atMs - first.atMs) / batches : 0;
  return now.atMs - lastMoved.atMs > Math.max(stillAfterMs, stillAfterPauses * pauseMs);
}

/** Since the newest sample that is as old as the window, or the oldest there is. */
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

/** Keeps the newest of the samples that are older than the window: it is what the window begins with. */
function forget(samples: Sample[], beforeMs: number): void {
  const newestOld = samples.findLastIndex(({ atMs }) => atMs <= beforeMs);
  if (newestOld > 0) samples.splice(0, newestOld);
}
