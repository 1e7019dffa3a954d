import { describe, expect, it } from 'vitest';
import { createDomainGate, type DomainLimits } from './domain-gate.ts';

function gateWith(limits: Partial<DomainLimits> = {}) {
  let nowMs = 1000;
  const clock = { now: () => new Date(nowMs), monotonicMs: () => nowMs, sleep: () => Promise.resolve() };
  const gate = createDomainGate(
    { perSecond: undefined, perSecondOf: new Map(), pauseAfterRefusals: 3, pauseMs: 60_000, ...limits },
    clock,
  );
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { gate, pass };
}

describe('the rate of a recipient domain', () => {
  it('admits mails one after the other, and refuses those that would exceed the time of the batch', () => {
    const { gate, pass } = gateWith({ perSecond: 2 });
    const admissions = Array.from({ length: 4 }, () => gate.admit('slow.test', 1000));
    expect(admissions).toEqual([
      { kind: 'admitted', waitMs: 0 },
      { kind: 'admitted', waitMs: 500 },
      { kind: 'admitted', waitMs: 1000 },
      { kind: 'rate-limited' },
    ]);
    expect(gate.admit('other.test', 1000)).toEqual({ kind: 'admitted', waitMs: 0 });
    pass(1500);
    expect(gate.admit('slow.test', 1000)).toEqual({ kind: 'admitted', waitMs: 0 });
  });

  it('may differ by domain', () => {
    const { gate } = gateWith({ perSecond: 1, perSecondOf: new Map([['fast.test', 100]]) });
    gate.admit('fast.test', 0);
    expect(gate.admit('fast.test', 10)).toEqual({ kind: 'admitted', waitMs: 10 });
  });
});

describe('the circuit of a recipient domain', () => {
  it('opens only for its own domain, after several refusals in a row', () => {
    const { gate } = gateWith();
    for (const isRefused of [true, true, false, true, true]) gate.report('strict.test', isRefused);
    expect(gate.admit('strict.test', 0).kind).toBe('admitted');
    gate.report('strict.test', true);
    expect(gate.admit('strict.test', 0)).toEqual({ kind: 'paused' });
    expect(gate.admit('other.test', 0).kind).toBe('admitted');
  });

  it('closes after the pause, and opens again with the next refusal', () => {
    const { gate, pass } = gateWith();
    for (let i = 0; i < 3; i++) gate.report('strict.test', true);
    pass(60_000);
    expect(gate.admit('strict.test', 0).kind).toBe('admitted');
    gate.report('strict.test', true);
    expect(gate.admit('strict.test', 0)).toEqual({ kind: 'paused' });
    pass(60_000);
    gate.report('strict.test', false);
    gate.report('strict.test', true);
    expect(gate.admit('strict.test', 0).kind).toBe('admitted');
  });
});
