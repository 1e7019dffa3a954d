import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from '@prometheus-io/client';
import type * as ports from '../ports/meter.ts';
import type { Logger } from './logger.ts';

export interface PrometheusMeter extends ports.Meter {
  /** All metrics as Prometheus reads them, and their content type. */
  expose(): Promise<{ contentType: string; text: string }>;
}

type Collect = () => void;

interface Known<Metric> {
  metric: Metric;
  labelNames: readonly string[];
  collectors: Collect[];
}

/** Metrics of this process, with those of Node itself: memory, handles, garbage collection, event loop delay (`nodejs_eventloop_lag_…`). */
export function createPrometheusMeter({ logger }: { logger: Logger }): PrometheusMeter {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const [counters, gauges, histograms] = [
    createCatalogue<Counter<string>>(registry),
    createCatalogue<Gauge<string>>(registry),
    createCatalogue<Histogram<string>>(registry),
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
      const { metric } = counters.get(spec, (config) => new Counter({ ...config, registers }));
      return {
        of: (labels) => {
          const count = metric.labels(labels);
          return { add: (by) => count.inc(by) };
        },
      };
    },

    gauge: (spec) => {
      const known = gauges.get(
        spec,
        (config, collectors) =>
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
        (config) => new Histogram({ ...config, buckets: [...spec.buckets], registers }),
      );
      return { of: (labels) => metric.labels(labels) };
    },

    expose: async () => ({ contentType: registry.contentType, text: await registry.metrics() }),
  };
}

interface Config {
  name: string;
  help: string;
  labelNames: string[];
}

/** Metrics of one kind by name. */
function createCatalogue<Metric>(registry: Registry) {
  const known = new Map<string, Known<Metric>>();
  return {
    get: (
      { name, help, labelNames = [] }: ports.MetricSpec<string>,
      create: (config: Config, collectors: Collect[]) => Metric,
    ): Known<Metric> => {
      const existing = known.get(name);
      if (!existing) {
        if (registry.getSingleMetric(name)) throw new Error(`there is a metric ${name} already, of another kind`);
        const collectors: Collect[] = [];
        const metric = create({ name, help, labelNames: [...labelNames] }, collectors);
        const made = { metric, labelNames, collectors };
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
