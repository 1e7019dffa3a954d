import { describe, expect, it } from 'vitest';
import { rowsOf, targetRows, type Measured } from './report.ts';

const turns = (rates: readonly number[], cpu: Record<string, number>) => rates.map((rate) => ({ rate, cpu }));

const measured: Measured = {
  latencyMs: 0,
  turns: new Map([
    ['bare loop', turns([1000, 2000], { loop: 100, postgres: 20, endpoints: 90 })],
    ['Muster', turns([700, 1400], { worker: 115, trigger: 30, postgres: 80, kafka: 20, endpoints: 90 })],
    ['BullMQ, with enqueueing', turns([500, 1000], { worker: 150, producer: 40, redis: 70, endpoints: 90 })],
  ]),
};

describe('the report beside job queues', () => {
  it('compares turns of the same round and leaves the endpoints out of the own cost', () => {
    const [bare, , bullmq] = rowsOf(measured);
    expect(bare).toMatchObject({ 'Muster to it': 0.7, 'own CPU µs per batch': 120 });
    expect(bullmq).toMatchObject({ 'Muster to it': 1.4, 'to the bare loop': 0.5, 'own CPU µs per batch': 260 });
  });

  it('says of each target whether it is reached, and nothing of a peer that did not take part', () => {
    expect(targetRows([measured])).toEqual([
      { target: '0 ms: rate to BullMQ, with enqueueing', asked: 'at least 1.4', measured: 1.4, verdict: 'reached' },
      { target: '0 ms: rate to bare loop', asked: 'at least 0.65', measured: 0.7, verdict: 'reached' },
      { target: "0 ms: worker's µs to the loop's", asked: 'at most 1.1', measured: 1.15, verdict: 'missed' },
      {
        target: "0 ms: the engine's µs to the bare loop's own",
        asked: 'at most 2.2',
        measured: 2.04,
        verdict: 'reached',
      },
    ]);
  });
});
