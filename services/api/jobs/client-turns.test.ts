import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createClientTurns } from './client-turns.ts';

const orders = { clientId: 'a', name: 'orders' };
const shop = { clientId: 'b', name: 'shop' };

function setUp() {
  const turns = createClientTurns();
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const list = (client: typeof orders, name: string) =>
    turns(client, async () => {
      begun.push(name);
      await new Promise<void>((resolve) => ends.push(resolve));
      return name;
    });
  return { turns, begun, ends, list };
}

describe('requests with many jobs', () => {
  it('run one after the other for each client, while another client does not wait for them', async () => {
    const { begun, ends, list } = setUp();
    const first = list(orders, 'first');
    void list(orders, 'second');
    void list(shop, 'of the neighbour');
    await settled();
    expect(begun).toEqual(['first', 'of the neighbour']);
    ends[0]?.();
    expect(await first).toBe('first');
    await settled();
    expect(begun).toEqual(['first', 'of the neighbour', 'second']);
  });

  it('continue after a failed request', async () => {
    const { turns } = setUp();
    const failing = turns(orders, () => Promise.reject(new Error('the database is away')));
    const next = turns(orders, () => Promise.resolve('done'));
    await expect(failing).rejects.toThrow('the database is away');
    expect(await next).toBe('done');
  });

  it('are refused if too many requests of the client wait, while another client is served', async () => {
    const { list } = setUp();
    for (let n = 0; n < 21; n++) void list(orders, `list ${n}`);
    await expect(list(orders, 'one more')).rejects.toMatchObject({ status: 429, code: 'too-many-lists' });
    void list(shop, 'of the neighbour');
  });
});
