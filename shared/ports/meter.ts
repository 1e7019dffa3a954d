/**
 * One value for each label name. Values come from small sets (an action type, a country): never an id of a user, a run
 * or a batch.
 */
export type LabelValues<Name extends string> = Readonly<Record<Name, string>>;

/**
 * @property name `muster_…`, its unit at its end, a counter's then `_total`: `muster_call_duration_seconds`,
 * `muster_calls_total`
 * @property help for who reads the metric without our code: what it counts, and which values its labels have
 * @property labelNames fixed for the metric's life
 */
export interface MetricSpec<Name extends string> {
  name: string;
  help: string;
  labelNames?: readonly Name[];
}

export interface CounterSpec<Name extends string> extends MetricSpec<Name> {
  kind?: 'counter';
}

export interface GaugeSpec<Name extends string> extends MetricSpec<Name> {
  kind?: 'gauge';
  /**
   * Sets the gauge when the metrics are asked for. What an earlier call set is forgotten before: a partition that went
   * elsewhere leaves no stale value. Must be quick; what it throws is logged, and the gauge has no value that time.
   */
  collect?: (gauge: Gauge<Name>) => void;
}

export interface HistogramSpec<Name extends string> extends MetricSpec<Name> {
  kind?: 'histogram';
  /** Upper bounds, ascending, in the unit of the name. */
  buckets: readonly number[];
}

/**
 * A service's metrics, each with its words: what the meter is asked for, what `/metrics` says of it, and the page of
 * all metrics (docs/reference/metrics.md).
 */
export type MetricTable = Readonly<
  Record<string, (MetricSpec<string> & { kind: 'counter' | 'gauge' }) | (HistogramSpec<string> & { kind: 'histogram' })>
>;

/** Something that only grows while the process lives. */
export interface Counter<Name extends string = never> {
  /** The count under these labels. Keep it where the same labels come again: finding it costs more than counting. */
  of(labels: LabelValues<Name>): { add(by?: number): void };
}

/** A level that goes up and down. */
export interface Gauge<Name extends string = never> {
  of(labels: LabelValues<Name>): { set(value: number): void };
}

/** How values are distributed, such as durations. */
export interface Histogram<Name extends string = never> {
  of(labels: LabelValues<Name>): { observe(value: number): void };
}

/**
 * Where figures about the running process go. A metric that is asked for again, by a second service of the same
 * process, is the same one; its `collect` is called beside the first one's. Throws when it is asked for with another
 * kind or other label names.
 */
export interface Meter {
  counter<Name extends string = never>(spec: CounterSpec<Name>): Counter<Name>;
  gauge<Name extends string = never>(spec: GaugeSpec<Name>): Gauge<Name>;
  histogram<Name extends string = never>(spec: HistogramSpec<Name>): Histogram<Name>;
}
