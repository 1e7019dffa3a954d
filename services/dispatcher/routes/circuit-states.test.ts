import { describe, expect, it } from 'vitest';
import { createCircuitStates } from './circuit-states.ts';

describe('the states of circuits', () => {
  const keyOf = (host: string, clientId = 'one') => ({ clientId, host });
  const rowOf = (host: string, clientId = 'one') =>
    ({ clientId, host, state: 'open', nextInMs: 0, sinceMs: 0 }) as const;

  it('count the routes of each host of each client', () => {
    const states = createCircuitStates(() => 0);
    states.replace([
      ...[rowOf('a.example'), rowOf('a.example/x'), rowOf('a.example/y/z'), rowOf('b.example/x'), rowOf('*')],
      rowOf('a.example/x', 'other'),
    ]);
    const counts = () => ['a.example', 'b.example', 'c.example'].map((host) => states.routesOf(keyOf(host)));
    expect([...counts(), states.routesOf(keyOf('a.example', 'other'))]).toEqual([2, 1, 0, 1]);
    states.set(keyOf('a.example/x'), 'closing');
    states.set(keyOf('c.example/x'), 'open');
    states.set(keyOf('c.example'), 'open');
    expect(counts()).toEqual([2, 1, 1]);
    expect([states.of(keyOf('a.example/x')), states.of(keyOf('d.example'))]).toEqual(['closing', 'closed']);
    states.replace([rowOf('b.example/x')]);
    expect(counts()).toEqual([0, 1, 0]);
    expect([states.has(keyOf('b.example/x')), states.has(keyOf('a.example/x'))]).toEqual([true, false]);
  });

  it('keep for two minutes the time at which a host recovered', () => {
    let nowMs = 1000;
    const states = createCircuitStates(() => nowMs);
    const key = keyOf('a.example');
    const hasRecoveredSince = (timeMs: number) => states.hasRecoveredSince(key, timeMs);
    expect(hasRecoveredSince(0)).toBe(false);
    states.replace([rowOf('a.example')]);
    expect(hasRecoveredSince(0)).toBe(false);
    nowMs = 2000;
    states.set(key, 'closing');
    nowMs = 3000;
    expect([hasRecoveredSince(1999), hasRecoveredSince(2000)]).toEqual([true, false]);
    states.replace([]);
    expect(hasRecoveredSince(1999)).toBe(true);
    nowMs = 122_000;
    states.replace([]);
    expect(hasRecoveredSince(1999)).toBe(false);
  });
});
