import { pino } from 'pino';
import { describe, expect, it, vi } from 'vitest';
import { createPrometheusMeter } from './prometheus-meter.ts';

function setUp() {
  const warnings: unknown[] = [];
  const logger = pino({ level: 'warn' }, { write: (line: string) => warnings.push(JSON.parse(line)) });
  const meter = createPrometheusMeter({ logger });
  const linesOf = async (name: string) =>
    (await meter.expose()).text.split('\n').filter((line) => line.startsWith(name) && !line.startsWith('#'));
  return { meter, linesOf, warnings };
}

describe('the Prometheus meter', () => {
  it('wakes an idle process at most once a second', () => {
    const everyMs = vi.spyOn(globalThis, 'setInterval');
    setUp();
    expect(Math.min(...everyMs.mock.calls.map(([, ms]) => ms ?? 0))).toBe(1000);
    everyMs.mockRestore();
  });

  it('counts by label', async () => {
    const { meter, linesOf } = setUp();
    const calls = meter.counter({ name: 'muster_calls_total', help: 'Calls.', labelNames: ['country'] });
    const inSingapore = calls.of({ country: 'SG' });
    inSingapore.add();
    inSingapore.add(2);
    calls.of({ country: 'ID' }).add();
    expect(await linesOf('muster_calls_total')).toEqual([
      'muster_calls_total{country="SG"} 3',
      'muster_calls_total{country="ID"} 1',
    ]);
  });

  it('collects a gauge when it is read, and drops labels that are no longer reported', async () => {
    const { meter, linesOf } = setUp();
    let lanes = ['0', '1'];
    meter.gauge({
      name: 'muster_lane_depth',
      help: 'Messages waiting.',
      labelNames: ['partition'],
      collect: (gauge) => {
        for (const partition of lanes) gauge.of({ partition }).set(7);
      },
    });
    expect(await linesOf('muster_lane_depth')).toHaveLength(2);
    lanes = ['1'];
    expect(await linesOf('muster_lane_depth')).toEqual(['muster_lane_depth{partition="1"} 7']);
  });

  it('counts durations in buckets', async () => {
    const { meter, linesOf } = setUp();
    const durations = meter.histogram({
      name: 'muster_call_duration_seconds',
      help: 'Time.',
      labelNames: ['action'],
      buckets: [0.1, 1],
    });
    durations.of({ action: 'award-reward' }).observe(0.5);
    expect(await linesOf('muster_call_duration_seconds')).toEqual([
      'muster_call_duration_seconds_bucket{le="0.1",action="award-reward"} 0',
      'muster_call_duration_seconds_bucket{le="1",action="award-reward"} 1',
      'muster_call_duration_seconds_bucket{le="+Inf",action="award-reward"} 1',
      'muster_call_duration_seconds_sum{action="award-reward"} 0.5',
      'muster_call_duration_seconds_count{action="award-reward"} 1',
    ]);
  });

  it('counts a duration that equals a bound in the bucket of that bound, and begins with zeros', async () => {
    const { meter, linesOf } = setUp();
    const durations = meter.histogram({ name: 'muster_flush_seconds', help: 'Time.', buckets: [0.25, 1] });
    expect(await linesOf('muster_flush_seconds_count')).toEqual(['muster_flush_seconds_count 0']);
    durations.of({}).observe(0.25);
    durations.of({}).observe(0.5);
    durations.of({}).observe(8);
    expect(await linesOf('muster_flush_seconds')).toEqual([
      'muster_flush_seconds_bucket{le="0.25"} 1',
      'muster_flush_seconds_bucket{le="1"} 2',
      'muster_flush_seconds_bucket{le="+Inf"} 3',
      'muster_flush_seconds_sum 8.75',
      'muster_flush_seconds_count 3',
    ]);
  });

  it('gives two services of one process the same metric, each with its own labels of a gauge', async () => {
    const { meter, linesOf } = setUp();
    for (const pool of ['api', 'worker']) {
      meter.counter({ name: 'muster_turns_total', help: 'Turns.' }).of({}).add();
      meter.gauge({
        name: 'muster_connections',
        help: 'Connections.',
        labelNames: ['pool'],
        collect: (gauge) => gauge.of({ pool }).set(1),
      });
    }
    expect(await linesOf('muster_turns_total')).toEqual(['muster_turns_total 2']);
    expect(await linesOf('muster_connections')).toEqual([
      'muster_connections{pool="api"} 1',
      'muster_connections{pool="worker"} 1',
    ]);
  });

  it('refuses a metric name that is used with another kind or other labels', () => {
    const { meter } = setUp();
    meter.counter({ name: 'muster_x_total', help: 'X.' });
    expect(() => meter.gauge({ name: 'muster_x_total', help: 'X.' })).toThrow(
      /muster_x_total already, of another kind/,
    );
    expect(() => meter.counter({ name: 'muster_x_total', help: 'X.', labelNames: ['country'] })).toThrow(
      /muster_x_total has the labels .*country/,
    );
  });

  it('exposes the other metrics if a gauge cannot be collected', async () => {
    const { meter, linesOf, warnings } = setUp();
    meter.counter({ name: 'muster_turns_total', help: 'Turns.' }).of({}).add();
    meter.gauge({
      name: 'muster_broken',
      help: 'Broken.',
      collect: () => {
        throw new Error('gone');
      },
    });
    expect(await linesOf('muster_turns_total')).toEqual(['muster_turns_total 1']);
    expect(warnings).toEqual([expect.objectContaining({ metric: 'muster_broken' })]);
  });

  it('exposes process metrics, but not the event-loop lag of prom-client', async () => {
    const { linesOf } = setUp();
    expect(await linesOf('process_resident_memory_bytes')).toHaveLength(1);
    expect(await linesOf('nodejs_eventloop_lag_p99_seconds')).toHaveLength(0);
  });

  it('keeps counting from one reading to the next', async () => {
    const { meter, linesOf } = setUp();
    const ended = meter.counter({ name: 'muster_runs_total', help: 'Runs.', labelNames: ['state'] });
    for (const expected of [1, 2]) {
      ended.of({ state: 'completed' }).add();
      expect(await linesOf('muster_runs_total')).toEqual([`muster_runs_total{state="completed"} ${expected}`]);
    }
  });
});
