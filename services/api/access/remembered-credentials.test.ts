import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { keyLifeMs, rememberCredentials } from './remembered-credentials.ts';

interface Key {
  name: string;
  hasEnded: boolean;
}

function setUp() {
  const clock = createSettableClock();
  const keys = new Map<string, Key>();
  const asked: string[] = [];
  const remembered = rememberCredentials<Key>({
    find: (digests) => {
      asked.push(...digests);
      return Promise.resolve(new Map(digests.flatMap((digest) => [...keys].filter(([known]) => known === digest))));
    },
    isGood: ({ hasEnded }) => !hasEnded,
    clock,
  });
  return { clock, keys, asked, remembered };
}

describe('a remembered credential', () => {
  it('is believed without a question for a second', async () => {
    const { clock, keys, asked, remembered } = setUp();
    const good = { name: 'good', hasEnded: false };
    keys.set('d1', good);
    expect([await remembered.find('d1'), await remembered.find('d1')]).toEqual([good, good]);
    expect(asked).toEqual(['d1']);
    keys.delete('d1');
    clock.advance(keyLifeMs + 1);
    expect(await remembered.find('d1')).toBeUndefined();
  });

  it('is refused without a question for ten seconds if it is unknown', async () => {
    const { clock, keys, asked, remembered } = setUp();
    expect([await remembered.find('d1'), await remembered.find('d1')]).toEqual([undefined, undefined]);
    clock.advance(9_999);
    await remembered.find('d1');
    expect(asked).toEqual(['d1']);
    keys.set('d1', { name: 'new', hasEnded: false });
    clock.advance(2);
    expect(await remembered.find('d1')).toMatchObject({ name: 'new' });
  });

  it('is returned as ended without another question', async () => {
    const { keys, asked, remembered } = setUp();
    keys.set('d1', { name: 'old', hasEnded: true });
    await remembered.find('d1');
    expect(await remembered.find('d1')).toMatchObject({ hasEnded: true });
    expect(asked).toEqual(['d1']);
  });

  it('is asked for anew once it is forgotten', async () => {
    const { keys, asked, remembered } = setUp();
    for (const digest of ['d1', 'd2']) keys.set(digest, { name: digest, hasEnded: false });
    for (const digest of ['d1', 'd2']) await remembered.find(digest);
    keys.clear();
    remembered.forget('d1');
    expect([await remembered.find('d1'), await remembered.find('d2')]).toMatchObject([undefined, { name: 'd2' }]);
    remembered.forgetAll();
    expect(await remembered.find('d2')).toBeUndefined();
    expect(asked).toEqual(['d1', 'd2', 'd1', 'd2']);
  });
});
