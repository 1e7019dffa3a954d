import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { exportConsumerStats } from './consumer-metrics.ts';
import { createPrometheusMeter } from './prometheus-meter.ts';

describe('the metrics of a consumer', () => {
  it('show the statistics of each topic, and no lag for a topic whose lag is unknown', async () => {
    const meter = createPrometheusMeter({ logger: pino({ level: 'silent' }) });
    exportConsumerStats(meter, () => [
      { topic: 'a', lanes: 3, unsettled: 7, held: 2, lag: 40 },
      { topic: 'b', lanes: 0, unsettled: 0, held: 0, lag: null },
    ]);
    const text = (await meter.expose()).text;
    expect(text).toContain('muster_consumer_lanes{topic="a"} 3');
    expect(text).toContain('muster_consumer_unsettled_messages{topic="a"} 7');
    expect(text).toContain('muster_consumer_held_messages{topic="a"} 2');
    expect(text).toContain('muster_consumer_lag_messages{topic="a"} 40');
    expect(text).toContain('muster_consumer_lanes{topic="b"} 0');
    expect(text).not.toContain('muster_consumer_lag_messages{topic="b"}');
  });
});
