import { fc } from '../../test/support/properties.ts';
import { describe, expect, it } from 'vitest';
import { broughtBack, createHostBreaker, type HostState } from './host-breaker.ts';
import type { HostSign } from './judge-answer.ts';

const signs = fc.array(fc.constantFrom<HostSign>('answers', 'fails', 'gone', 'none'), { maxLength: 60 });

describe('the breaker of a host', () => {
  it('opens after so many failures in a row as its client says, and by nothing else', () => {
    fc.assert(
      fc.property(signs, fc.integer({ min: 1, max: 12 }), (given, limit) => {
        const breaker = createHostBreaker();
        let inARow = 0;
        for (const sign of given) {
          if (sign === 'answers') inARow = 0;
          if (sign === 'fails') inARow++;
          const opens = breaker.onSign(sign, 'closed', limit);
          expect(opens).toBe(sign === 'fails' && inARow === limit);
          if (opens) inARow = 0;
        }
      }),
    );
  });

  it('needs two failures, or fewer where one will do, while a host is coming back', () => {
    const breaker = createHostBreaker();
    expect([1, 2].map(() => breaker.onSign('fails', 'closing', 10))).toEqual([false, true]);
    expect(createHostBreaker().onSign('fails', 'closing', 1)).toBe(true);
  });

  it.each<HostState>(['open', 'disabled'])('is not opened again by what was under way: %s', (state) => {
    const breaker = createHostBreaker();
    for (let i = 0; i < 30; i++) expect(breaker.onSign('fails', state, 3)).toBe(false);
    expect(breaker.onSign('fails', 'closed', 3)).toBe(false);
  });
});

it('brings back few jobs first, twice as many each second, and never more than it could read', () => {
  expect([0, 999, 1000, 2000, 5000].map(broughtBack)).toEqual([10, 10, 20, 40, 320]);
  fc.assert(
    fc.property(fc.integer({ min: -1000, max: 1e9 }), (ms) => broughtBack(ms) >= 10 && broughtBack(ms) <= 10_000),
  );
});
