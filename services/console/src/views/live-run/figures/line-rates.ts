import type { RunProgress } from '#client/types.gen.ts';

/** Rate of a step in a country, in users per second over the last minute. */
export interface LineRate {
  step: number;
  action: string;
  country: string;
  /** Users per second; null until there is an earlier sample. */
  perSecond: number | null;
  /** Reason why the step waits in this country; null if it does not wait. */
  cause: string | null;
}

interface Sample {
  atMs: number;
  ended: ReadonlyMap<string, number>;
}

type ObservedRun = Pick<RunProgress, 'asOf' | 'startedAt' | 'countries' | 'waits'>;

const windowMs = 60_000;
const minGapMs = 1000;

/** Computes the rates of all steps and countries from samples of a run's progress. */
export interface LineRates {
  observe(progress: ObservedRun): LineRate[];
}

export function createLineRates(): LineRates {
  let samples: Sample[] = [];

  return {
    observe: (progress) => {
      const now: Sample = { atMs: Date.parse(progress.asOf), ended: endedOf(progress) };
      const startedMs = progress.startedAt === null ? null : Date.parse(progress.startedAt);
      // Adds the start of the run as a sample with zero users. For a run that started earlier, this would yield the
      // mean since its start, and hide the current rate.
      if (samples.length === 0 && startedMs !== null && now.atMs - startedMs <= windowMs) {
        samples.push({ atMs: startedMs, ended: new Map() });
      }
      const base = samples.findLast(({ atMs }) => atMs <= now.atMs - windowMs) ?? samples[0];
      const rates = linesOf(progress, base, now);
      const last = samples.at(-1);
      if (!last || now.atMs - last.atMs >= minGapMs) samples.push(now);
      samples = samples.slice(
        Math.max(
          0,
          samples.findLastIndex(({ atMs }) => atMs <= now.atMs - windowMs),
        ),
      );
      return rates;
    },
  };
}

function linesOf({ countries, waits }: ObservedRun, base: Sample | undefined, now: Sample): LineRate[] {
  const seconds = base ? (now.atMs - base.atMs) / 1000 : 0;
  const lines = countries.flatMap(({ country, steps }) => steps.map((line) => ({ country, line })));
  return lines.map(({ country, line: { step, action } }) => {
    const key = keyOf(country, step);
    const ended = (now.ended.get(key) ?? 0) - (base?.ended.get(key) ?? 0);
    const wait = waits.find((each) => each.country === country && each.step === step);
    return {
      step,
      action,
      country,
      perSecond: seconds > 0 ? Math.max(0, ended / seconds) : null,
      cause: wait?.cause ?? null,
    };
  });
}

function endedOf({ countries }: ObservedRun): Map<string, number> {
  return new Map(
    countries.flatMap(({ country, steps }) =>
      steps.map((line) => [keyOf(country, line.step), servedUsersOf(line)] as const),
    ),
  );
}

/** Counts the users like the API does for its chart. Expired and cancelled users do not affect the rate. */
function servedUsersOf({ succeeded, failed, unknown }: RunProgress['steps'][number]): number {
  return succeeded + failed + unknown;
}

/**
 * Window in milliseconds. Not shorter than the distance of the API's points, because the chart would otherwise show
 * single batches.
 */
const runWindowMs = 5000;

/** Rate of a whole run: users that ended a step, per second over the last five seconds. */
export interface RunRate {
  /**
   * Returns the rate after a new sample. Null until there is an earlier sample, and for a run that has ended, because
   * its chart ends too.
   */
  observe(progress: Pick<RunProgress, 'asOf' | 'startedAt' | 'endedAt' | 'steps'>): number | null;
}

export function createRunRate(): RunRate {
  let samples: { atMs: number; ended: number }[] = [];

  return {
    observe: ({ asOf, startedAt, endedAt, steps }) => {
      if (startedAt === null || endedAt !== null) return null;
      const now = { atMs: Date.parse(asOf), ended: steps.reduce((sum, line) => sum + servedUsersOf(line), 0) };
      const startedMs = Date.parse(startedAt);
      if (samples.length === 0 && now.atMs - startedMs <= 2 * runWindowMs) samples.push({ atMs: startedMs, ended: 0 });
      const first = samples.findLastIndex(({ atMs }) => atMs <= now.atMs - runWindowMs);
      samples = [...samples.slice(Math.max(0, first)), now];
      const [base] = samples;
      if (!base || now.atMs - base.atMs < runWindowMs) return null;
      return Math.max(0, ((now.ended - base.ended) * 1000) / (now.atMs - base.atMs));
    },
  };
}

function keyOf(country: string, step: number): string {
  return `${country} ${step}`;
}

/**
 * Adds up the rates of each step over all countries. Used for many countries, because there is no space for a line per
 * country.
 */
export function sumRatesByStep(rates: readonly LineRate[]): LineRate[] {
  return [...Map.groupBy(rates, ({ step }) => step).values()].flatMap((ofStep) => {
    const [first] = ofStep;
    if (!first) return [];
    const known = ofStep.filter(({ perSecond }) => perSecond !== null);
    const perSecond = known.length === 0 ? null : known.reduce((sum, each) => sum + (each.perSecond ?? 0), 0);
    return [{ ...first, country: '', perSecond, cause: null }];
  });
}

export interface VisibleRates {
  lines: LineRate[];
  others: number;
}

/**
 * Returns at most `limit` lines: first steps that wait, then countries with most users. The lines keep the order of
 * steps and countries, so that no row moves when its rate changes.
 */
export function selectRates(
  rates: readonly LineRate[],
  audienceOf: (country: string) => number,
  limit: number,
): VisibleRates {
  const byWeight = [...rates].sort(
    (a, b) => Number(b.cause !== null) - Number(a.cause !== null) || audienceOf(b.country) - audienceOf(a.country),
  );
  const chosen = new Set(byWeight.slice(0, limit));
  return { lines: rates.filter((rate) => chosen.has(rate)), others: Math.max(0, rates.length - limit) };
}
