import { describe, expect, it } from 'vitest';
import { createRouteMemory } from './route-memory.ts';

describe('the memory of routes', () => {
  it('keeps at most 20,000 routes, those of the most recently used endpoints', () => {
    const memory = createRouteMemory({ monotonicMs: () => 0, random: () => 0.5 });
    const callMany = (endpointId: string) => {
      const routes = memory.of(endpointId);
      for (let nth = 0; nth < 64; nth++) routes.of(`h/${nth}`, 4);
      return routes;
    };
    const [first, ...others] = Array.from({ length: 400 }, (_, nth) => callMany(`endpoint-${nth}`));
    expect(memory.size).toBeLessThanOrEqual(20_000);
    expect(memory.of('endpoint-399')).toBe(others.at(-1));
    expect(memory.of('endpoint-0')).not.toBe(first);
    for (let nth = 0; nth < 30_000; nth++) memory.of(`idle-${nth}`);
    expect(memory.size).toBeLessThanOrEqual(20_000);
  });
});
