import { describe, expect, it } from 'vitest';
import { bestRows, equalRows, overviewRows } from './equal-report.ts';
import type { Measured } from './report.ts';

interface Figures {
  rates: readonly number[];
  cpu: Record<string, number>;
}

const turns = ({ rates, cpu }: Figures) => rates.map((rate) => ({ rate, cpu, callsAtOnce: 100 }));

const measured: Measured = {
  latencyMs: 5,
  turns: new Map([
    ['bare loop', turns({ rates: [4000, 8000], cpu: { loop: 70, postgres: 4, endpoints: 90 } })],
    ['Muster', turns({ rates: [1000, 2600], cpu: { worker: 160, postgres: 80, endpoints: 90 } })],
    ['graphile-worker', turns({ rates: [1000, 2000], cpu: { worker: 200, postgres: 160, endpoints: 90 } })],
    ['BullMQ', turns({ rates: [800, 1600], cpu: { worker: 200, redis: 80, postgres: 20, endpoints: 90 } })],
  ]),
};

describe('the report about peers at equal promises', () => {
  it('gives rate, CPU and the CPU of Postgres in one cell for each latency, without the endpoints', () => {
    expect(overviewRows([measured])).toEqual([
      { case: 'bare loop', '5 ms': '6,000 (74; 4)' },
      { case: 'Muster', '5 ms': '1,800 (240; 80)' },
      { case: 'graphile-worker', '5 ms': '1,500 (360; 160)' },
      { case: 'BullMQ', '5 ms': '1,200 (300; 20)' },
    ]);
  });

  it('names the best peer by measure, and compares Postgres only with peers that keep their jobs there', () => {
    expect(bestRows([measured])).toEqual([
      { measure: 'batches/s', '5 ms': 'graphile-worker: 1.15 (1.00 1.30)' },
      { measure: 'CPU µs', '5 ms': 'BullMQ: 0.80 (0.80 0.80)' },
      { measure: 'Postgres µs', '5 ms': 'graphile-worker: 0.50 (0.50 0.50)' },
    ]);
  });

  it('gives the ratios of all rounds to each contestant, and the most calls that a contestant had at once', () => {
    expect(equalRows(measured)[2]).toEqual({
      case: 'graphile-worker',
      'batches/s': 1500,
      'CPU µs': 360,
      'Postgres µs': 160,
      'Muster ÷ it, batches/s': '1.15 (1.00 1.30)',
      'Muster ÷ it, CPU µs': '0.67 (0.67 0.67)',
      'Muster ÷ it, Postgres µs': '0.50 (0.50 0.50)',
      'calls at once': 100,
    });
  });

  it('has no ratio to a contestant that used no CPU of Postgres', () => {
    const loop = new Map([
      ...measured.turns,
      ['bare loop', turns({ rates: [4000, 8000], cpu: { loop: 70 } })] as const,
    ]);
    expect(equalRows({ latencyMs: 5, turns: loop })[0]).toMatchObject({ 'Muster ÷ it, Postgres µs': '–' });
  });
});
