/**
 * Label values of a metric by label name. Values come from small sets (an action type, a country): never an id of a
 * user, a run or a batch.
 */
export type LabelValues<Name extends string> = Readonly<Record<Name, string>>;

/**
 * Definition of a metric.
 * @property name `muster_…` with its unit at the end, then `_total` for a counter: `muster_call_duration_seconds`,
 * `muster_calls_total`
 * @property help describes, for readers without our code, what the metric counts and which values its labels have
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
   * Sets the gauge when metrics are scraped. Values of an earlier call are cleared first, so a partition that has moved
   * leaves no stale value. The function must be quick. If it throws, the error is logged and the gauge has no value
   * this time.
   */
  collect?: (gauge: Gauge<Name>) => void;
}

export interface HistogramSpec<Name extends string> extends MetricSpec<Name> {
  kind?: 'histogram';
  /** Upper bounds, ascending, in the unit of the name. */
  buckets: readonly number[];
}

/**
 * Metrics of a service with their descriptions: the source for the meter, for `/metrics`, and for the page of all
 * metrics (docs/reference/metrics.md).
 */
export type MetricTable = Readonly<
  Record<string, (MetricSpec<string> & { kind: 'counter' | 'gauge' }) | (HistogramSpec<string> & { kind: 'histogram' })>
>;

export interface Counter<Name extends string = never> {
  /** Returns the counter under these labels. Keep it if the same labels recur: the look-up costs more than counting. */
  of(labels: LabelValues<Name>): { add(by?: number): void };
}

export interface Gauge<Name extends string = never> {
  of(labels: LabelValues<Name>): { set(value: number): void };
}

export interface Histogram<Name extends string = never> {
  of(labels: LabelValues<Name>): { observe(value: number): void };
}

/**
 * Registry of the running process's metrics. If a second service of the same process requests a metric, it gets the
 * same metric, and its `collect` is called in addition to the first. Throws if the kind or the label names differ.
 */
export interface Meter {
  counter<Name extends string = never>(spec: CounterSpec<Name>): Counter<Name>;
  gauge<Name extends string = never>(spec: GaugeSpec<Name>): Gauge<Name>;
  histogram<Name extends string = never>(spec: HistogramSpec<Name>): Histogram<Name>;
}
