import type { TopicStats } from '../../ports/message-bus.ts';
import type { Gauge, GaugeSpec, Meter } from '../../ports/meter.ts';
import { consumerMetrics } from './process-metrics.ts';

type OfTopic = Gauge<'topic'>;

/** Exports the statistics of a consumer's topics whenever the metrics are read. */
export function exportConsumerStats(meter: Meter, stats: () => readonly TopicStats[]): void {
  const show = (spec: GaugeSpec<'topic'>, valueOf: (stats: TopicStats) => number | null): void => {
    const collect = (gauge: OfTopic): void => {
      for (const each of stats()) {
        const value = valueOf(each);
        // Unknown figures have no value: a zero would look like good news.
        if (value !== null) gauge.of({ topic: each.topic }).set(value);
      }
    };
    meter.gauge({ ...spec, collect });
  };
  show(consumerMetrics.lanes, ({ lanes }) => lanes);
  show(consumerMetrics.unsettled, ({ unsettled }) => unsettled);
  show(consumerMetrics.held, ({ held }) => held);
  show(consumerMetrics.lag, ({ lag }) => lag);
}
