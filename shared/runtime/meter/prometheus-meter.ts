import { Counter, Gauge, Registry, collectDefaultMetrics } from '@prometheus-io/client';
import type * as ports from '../../ports/meter.ts';
import type { Logger } from '../logger.ts';
import { TalliedHistogram } from './tallied-histogram.ts';

export interface PrometheusMeter extends ports.Meter {
  /** Returns all metrics in Prometheus's format, with their content type. */
  expose(): Promise<{ contentType: string; text: string }>;
}

type Collect = () => void;

/** Sources of a metric when it is read: collectors of a gauge, tallies of a counter by label values. */
interface Sources {
  collectors: Collect[];
  tallies: Map<string, Tally>;
}

interface Known<Metric> extends Sources {
  metric: Metric;
  labelNames: readonly string[];
}

/**
 * Count of a series, kept outside of the library's registry. The registry searches a counter by its labels each time,
 * which costs more than the counted work. The count is reported when metrics are read.
 */
interface Tally {
  labels: ports.LabelValues<string>;
  add: (by?: number) => void;
  /** Returns the amount added since the last call. */
  take: () => number;
}

function createTally(labels: ports.LabelValues<string>): Tally {
  let unreported = 0;
  return {
    labels,
    add: (by = 1) => {
      unreported += by;
    },
    take: () => {
      const taken = unreported;
      unreported = 0;
      return taken;
    },
  };
}

/**
 * Creates a meter with this process's metrics and Node's own: memory, handles, garbage collection. Event loop delay is
 * measured by `watchEventLoop` instead.
 */
export function createPrometheusMeter({ logger }: { logger: Logger }): PrometheusMeter {
  const registry = new Registry();
  const registers = [registry];
  collectNodeMetrics(registry);
  const [counters, gauges, histograms] = [
    createCatalogue<Counter<string>>(registry),
    createCatalogue<Gauge<string>>(registry),
    createCatalogue<TalliedHistogram>(registry),
  ];

  function collectGauge(metric: Gauge<string>, collectors: readonly Collect[], name: string): void {
    if (collectors.length === 0) return;
    metric.reset();
    for (const collect of collectors) {
      try {
        collect();
      } catch (error) {
        logger.warn({ err: error, metric: name }, 'a metric could not be collected');
      }
    }
  }

  return {
    counter: (spec) => {
      const { tallies } = counters.get(spec, (config, { tallies }) => {
        return new Counter({
          ...config,
          registers,
          collect() {
            for (const { labels, take } of tallies.values()) this.inc(labels, take());
          },
        });
      });
      return {
        of: (labels) => {
          const key = JSON.stringify(Object.values(labels));
          let tally = tallies.get(key);
          if (!tally) tallies.set(key, (tally = createTally(labels)));
          return tally;
        },
      };
    },

    gauge: (spec) => {
      const known = gauges.get(
        spec,
        (config, { collectors }) =>
          new Gauge({
            ...config,
            registers,
            collect() {
              collectGauge(this, collectors, spec.name);
            },
          }),
      );
      const gauge = { of: (labels: ports.LabelValues<string>) => known.metric.labels(labels) };
      const { collect } = spec;
      if (collect) known.collectors.push(() => collect(gauge));
      return gauge;
    },

    histogram: (spec) => {
      const { metric } = histograms.get(
        spec,
        (config) => new TalliedHistogram({ ...config, buckets: [...spec.buckets], registers }),
      );
      return { of: (labels) => metric.of(labels) };
    },

    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

/**
 * Collects Node's metrics without event loop lag. The library's monitor wakes the process a hundred times a second,
 * which is most of an idle process's cost, and ten times to measure utilization.
 */
function collectNodeMetrics(registry: Registry): void {
  collectDefaultMetrics({
    register: registry,
    eventLoopMonitoringPrecision: neverMs,
    eventLoopUtilizationTimeout: askBusyEveryMs,
  });
  for (const part of ['_min', '_max', '_mean', '_stddev', '_p50', '_p90', '_p99'])
    registry.removeSingleMetric(`nodejs_eventloop_lag${part}_seconds`);
}

const askBusyEveryMs = 1000;
/** One day, because the library does not accept infinity. */
const neverMs = 24 * 60 * 60 * 1000;

interface Config {
  name: string;
  help: string;
  labelNames: string[];
}

function createCatalogue<Metric>(registry: Registry) {
  const known = new Map<string, Known<Metric>>();
  return {
    get: (
      { name, help, labelNames = [] }: ports.MetricSpec<string>,
      create: (config: Config, sources: Sources) => Metric,
    ): Known<Metric> => {
      const existing = known.get(name);
      if (!existing) {
        if (registry.getSingleMetric(name)) throw new Error(`there is a metric ${name} already, of another kind`);
        const sources: Sources = { collectors: [], tallies: new Map() };
        const metric = create({ name, help, labelNames: [...labelNames] }, sources);
        const made = { metric, labelNames, ...sources };
        known.set(name, made);
        return made;
      }
      if (existing.labelNames.join() !== labelNames.join()) {
        throw new Error(
          `metric ${name} has the labels ${existing.labelNames.join(', ')}, and is asked for with ${labelNames.join(', ')}`,
        );
      }
      return existing;
    },
  };
}
