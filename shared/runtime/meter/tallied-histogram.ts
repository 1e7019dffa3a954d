import { Histogram, type HistogramConfiguration } from '@prometheus-io/client';
import type { LabelValues } from '../../ports/meter.ts';

interface Series {
  labels: LabelValues<string>;
  /** Observations by index of their bucket; the last entry counts those above all bounds. */
  counts: number[];
  sum: number;
  observe: (value: number) => void;
}

/**
 * Histogram that counts outside of the registry's store. The library finds the series by its labels at each
 * observation, which costs several times as much as counting.
 */
export class TalliedHistogram extends Histogram<string> {
  readonly #name: string;
  readonly #help: string;
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor(config: HistogramConfiguration<string> & { buckets: number[] }) {
    super(config);
    this.#name = config.name;
    this.#help = config.help;
    this.#bounds = config.buckets;
    // Shows a histogram without labels from the start, as the library does.
    if (config.labelNames?.length === 0) this.of({});
  }

  /** Returns the series with these label values, and creates it if there is none. */
  of(labels: LabelValues<string>): Pick<Series, 'observe'> {
    const key = JSON.stringify(Object.values(labels));
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = createSeries(labels, this.#bounds)));
    return series;
  }

  /** Overrides the method of the library, missing in its types, from which its registry and `get` take the values. */
  getForPromString() {
    const values = [...this.#series.values()].flatMap((series) => valuesOf(series, this.#name, this.#bounds));
    return Promise.resolve({ name: this.#name, help: this.#help, type: 'histogram', aggregator: 'sum', values });
  }
}

function createSeries(labels: LabelValues<string>, bounds: readonly number[]): Series {
  const series: Series = {
    labels,
    counts: Array.from({ length: bounds.length + 1 }, () => 0),
    sum: 0,
    observe: (value) => {
      let bucket = 0;
      while (bucket < bounds.length && value > (bounds[bucket] ?? Infinity)) bucket++;
      series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
      series.sum += value;
    },
  };
  return series;
}

/** Returns the lines of a series. The value of a bucket includes all smaller buckets, as Prometheus defines it. */
function valuesOf({ labels: sharedLabels, counts, sum }: Series, name: string, bounds: readonly number[]) {
  let count = 0;
  const buckets = [...bounds, '+Inf'].map((le, index) => {
    count += counts[index] ?? 0;
    return { labels: { le }, sharedLabels, value: count, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels: {}, sharedLabels, value: sum, metricName: `${name}_sum` },
    { labels: {}, sharedLabels, value: count, metricName: `${name}_count` },
  ];
}
