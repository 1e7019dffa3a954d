import type { TopicStats } from '../../ports/message-bus.ts';
import type { Gauge, Meter } from '../../ports/meter.ts';

type OfTopic = Gauge<'topic'>;

/** Shows what a consumer says of its topics whenever the metrics are asked for. */
export function exportConsumerStats(meter: Meter, stats: () => readonly TopicStats[]): void {
  const show = (name: string, help: string, valueOf: (stats: TopicStats) => number | null): void => {
    const collect = (gauge: OfTopic): void => {
      for (const each of stats()) {
        const value = valueOf(each);
        // What is not known has no value: a zero would look like good news.
        if (value !== null) gauge.of({ topic: each.topic }).set(value);
      }
    };
    meter.gauge({ name, help, labelNames: ['topic'], collect });
  };
  show('muster_consumer_lanes', 'Partitions of the topic assigned to this process.', ({ lanes }) => lanes);
  show('muster_consumer_unsettled_messages', 'Messages delivered and not handled yet.', ({ unsettled }) => unsettled);
  show(
    'muster_consumer_held_messages',
    'Messages fetched and held back, as their lanes have enough.',
    ({ held }) => held,
  );
  show('muster_consumer_lag_messages', "Messages of this process's lanes that are not handled yet.", ({ lag }) => lag);
}
