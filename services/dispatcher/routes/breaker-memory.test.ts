import { describe, expect, it } from 'vitest';
import { createBreakerMemory } from './breaker-memory.ts';

describe('the memory of breakers', () => {
  const keyOf = (clientId: string, host: number) => ({ clientId, host: `${host}.example` });
  const fill = (memory: ReturnType<typeof createBreakerMemory>, clientId: string, count: number) => {
    for (let host = 0; host < count; host++) memory.of(keyOf(clientId, host));
  };

  it('keeps the 1,000 most recently used hosts of one client, without removing hosts of other clients', () => {
    const memory = createBreakerMemory();
    const ofOther = memory.of(keyOf('other', 0));
    fill(memory, 'many', 1000);
    const used = memory.of(keyOf('many', 0));
    for (let host = 1000; host < 20_000; host++) {
      memory.of(keyOf('many', host));
      expect(memory.of(keyOf('many', 0))).toBe(used);
    }
    expect(memory.find(keyOf('other', 0))).toBe(ofOther);
    expect([1, 19_001, 19_002].map((host) => memory.find(keyOf('many', host)) !== undefined)).toEqual([
      ...[false, true, true],
    ]);
    expect(memory.find(keyOf('many', 19_000))).toBeUndefined();
  });

  it('keeps the 10,000 most recently used hosts over all clients', () => {
    const memory = createBreakerMemory();
    memory.of(keyOf('oldest', 0));
    const ofSecond = memory.of(keyOf('second', 0));
    for (let client = 0; client < 10; client++) fill(memory, `${client}`, client === 9 ? 999 : 1000);
    expect(memory.find(keyOf('oldest', 0))).toBeUndefined();
    expect(memory.find(keyOf('second', 0))).toBe(ofSecond);
    expect(memory.find(keyOf('9', 998))).toBeDefined();
  });

  it('has room again after a host is removed', () => {
    const memory = createBreakerMemory();
    fill(memory, 'many', 1000);
    memory.forget(keyOf('many', 7));
    expect(memory.find(keyOf('many', 7))).toBeUndefined();
    memory.of(keyOf('many', 1000));
    expect(memory.find(keyOf('many', 0))).toBeDefined();
  });
});
