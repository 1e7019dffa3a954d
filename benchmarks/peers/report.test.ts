import { describe, expect, it } from 'vitest';
import { rowsOf, targetRows, type Measured } from './report.ts';

const turns = (rates: readonly number[], cpu: Record<string, number>) =>
  rates.map((rate) => ({ rate, cpu, callsAtOnce: 100 }));

const measured: Measured = {
  latencyMs: 0,
  turns: new Map([
    ['bare loop', turns([1000, 2000], { loop: 100, postgres: 20, endpoints: 90 })],
    ['Muster', turns([700, 1400], { worker: 115, trigger: 30, postgres: 80, kafka: 20, endpoints: 90 })],
    ['BullMQ, with enqueueing', turns([500, 1000], { worker: 150, producer: 40, redis: 70, endpoints: 90 })],
  ]),
};

describe('the report that compares Muster with job queues', () => {
  it('compares runs of the same round and excludes the endpoints from the CPU cost of Muster', () => {
    const [bare, , bullmq] = rowsOf(measured);
    expect(bare).toMatchObject({ 'Muster to it': 0.7, 'own CPU µs per batch': 120 });
    expect(bullmq).toMatchObject({
      'calls at once': 100,
      'Muster to it': 1.4,
      'to the bare loop': 0.5,
      'own CPU µs per batch': 260,
    });
  });

  it('states for each target whether it is reached, and omits the target for a loop that was not measured', () => {
    expect(targetRows([measured, { latencyMs: 20, turns: new Map() }])).toEqual([
      { target: '0 ms: own CPU µs per batch', asked: 'at most 265', measured: 245, verdict: 'reached' },
      { target: "0 ms: worker's", asked: 'at most 110', measured: 115, verdict: 'missed' },
      { target: "0 ms: trigger's", asked: 'at most 45', measured: 30, verdict: 'reached' },
      { target: "0 ms: postgres's", asked: 'at most 75', measured: 80, verdict: 'missed' },
      { target: "0 ms: kafka's", asked: 'at most 28', measured: 20, verdict: 'reached' },
    ]);
  });
});
