import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import { keyLifeMs, createCredentialCache } from './credential-cache.ts';

interface Key {
  name: string;
  hasEnded: boolean;
}

function setUp() {
  const clock = createSettableClock();
  const keys = new Map<string, Key>();
  const lookedUp: string[] = [];
  const cache = createCredentialCache<Key>({
    find: (digests) => {
      lookedUp.push(...digests);
      return Promise.resolve(new Map(digests.flatMap((digest) => [...keys].filter(([known]) => known === digest))));
    },
    isGood: ({ hasEnded }) => !hasEnded,
    clock,
  });
  return { clock, keys, lookedUp, cache };
}

describe('a cached credential', () => {
  it('is accepted without a look-up for a second', async () => {
    const { clock, keys, lookedUp, cache } = setUp();
    const good = { name: 'good', hasEnded: false };
    keys.set('d1', good);
    expect([await cache.find('d1'), await cache.find('d1')]).toEqual([good, good]);
    expect(lookedUp).toEqual(['d1']);
    keys.delete('d1');
    clock.advance(keyLifeMs + 1);
    expect(await cache.find('d1')).toBeUndefined();
  });

  it('is refused without a look-up for ten seconds if it is unknown', async () => {
    const { clock, keys, lookedUp, cache } = setUp();
    expect([await cache.find('d1'), await cache.find('d1')]).toEqual([undefined, undefined]);
    clock.advance(9_999);
    await cache.find('d1');
    expect(lookedUp).toEqual(['d1']);
    keys.set('d1', { name: 'new', hasEnded: false });
    clock.advance(2);
    expect(await cache.find('d1')).toMatchObject({ name: 'new' });
  });

  it('is returned as expired or revoked without another look-up', async () => {
    const { keys, lookedUp, cache } = setUp();
    keys.set('d1', { name: 'old', hasEnded: true });
    await cache.find('d1');
    expect(await cache.find('d1')).toMatchObject({ hasEnded: true });
    expect(lookedUp).toEqual(['d1']);
  });

  it('is looked up again after it was forgotten', async () => {
    const { keys, lookedUp, cache } = setUp();
    for (const digest of ['d1', 'd2']) keys.set(digest, { name: digest, hasEnded: false });
    for (const digest of ['d1', 'd2']) await cache.find(digest);
    keys.clear();
    cache.forget('d1');
    expect([await cache.find('d1'), await cache.find('d2')]).toMatchObject([undefined, { name: 'd2' }]);
    cache.forgetAll();
    expect(await cache.find('d2')).toBeUndefined();
    expect(lookedUp).toEqual(['d1', 'd2', 'd1', 'd2']);
  });
});
