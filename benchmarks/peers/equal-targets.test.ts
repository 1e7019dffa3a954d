import { describe, expect, it } from 'vitest';
import { equalTargetRows, guardEqual } from './equal-targets.ts';
import type { Measured } from './report.ts';

/** @param rate Muster's rate beside 1,000 of its peer, whose CPU is 200 µs and whose Postgres takes 160 of them */
function measuredAt(latencyMs: number, rate: number, cpu: { worker: number; postgres: number }): Measured {
  const peer = { rate: 1000, cpu: { worker: 40, postgres: 160, endpoints: 90 }, callsAtOnce: 100 };
  const muster = { rate, cpu: { ...cpu, endpoints: 90 }, callsAtOnce: 100 };
  return {
    latencyMs,
    turns: new Map([
      ['Muster', [muster, muster]],
      ['graphile-worker', [peer, peer]],
    ]),
  };
}

const good = { worker: 60, postgres: 60 };

describe('the targets at equal promises', () => {
  it('are reached or missed by the ratio to the best peer, and there are none without a peer', () => {
    expect(equalTargetRows([measuredAt(5, 1150, { worker: 80, postgres: 80 })])).toEqual([
      { target: '5 ms: rate ÷ graphile-worker', asked: 'at least 1.25', measured: 1.15, verdict: 'missed' },
      { target: '5 ms: CPU µs ÷ graphile-worker', asked: 'at most 0.8', measured: 0.8, verdict: 'reached' },
      { target: '5 ms: Postgres µs ÷ graphile-worker', asked: 'at most 0.5', measured: 0.5, verdict: 'reached' },
    ]);
    const { turns } = measuredAt(5, 1150, good);
    const alone = new Map([...turns].filter(([name]) => name === 'Muster'));
    expect(equalTargetRows([{ latencyMs: 5, turns: alone }])).toEqual([]);
  });
});

describe('the nightly guard of the comparison at equal promises', () => {
  it('accepts a missed goal that is not worse than the accepted ratio', () => {
    expect(() => guardEqual([measuredAt(50, 950, { worker: 110, postgres: 80 })])).not.toThrow();
  });

  it('names each ratio that is worse than the accepted one', () => {
    const measured = [measuredAt(0, 1300, good), measuredAt(20, 1000, { worker: 120, postgres: 120 })];
    expect(() => guardEqual(measured)).toThrow(
      '0 ms: rate ÷ graphile-worker: 1.30, at least 1.37 is accepted\n' +
        '20 ms: CPU µs ÷ graphile-worker: 1.20, at most 0.99 is accepted\n' +
        '20 ms: Postgres µs ÷ graphile-worker: 0.75, at most 0.57 is accepted',
    );
  });

  it('fails if no peer was measured', () => {
    expect(() => guardEqual([])).toThrow('no peer at equal promises was measured');
  });
});
