import { describe, expect, it } from 'vitest';
import { passTime, settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createWaitingFetches } from './waiting-fetches.ts';

function given() {
  const clock = createSettableClock();
  const seen = { heartbeats: 0, dropped: 0, given: [] as string[] };
  let isRebalancing = false;
  const fetches = createWaitingFetches({
    clock,
    heartbeat: () => {
      seen.heartbeats++;
      return isRebalancing ? Promise.reject(new Error('REBALANCE_IN_PROGRESS')) : Promise.resolve();
    },
  });
  /** Starts a fetch, and returns the function that answers it. */
  function wait({ canBeDropped = true } = {}): (answer: string) => void {
    const answered = Promise.withResolvers<string>();
    const drop = () => {
      if (!canBeDropped) return Promise.resolve(false);
      seen.dropped++;
      answered.reject(new Error('given up'));
      return Promise.resolve(true);
    };
    void fetches.wait({ answer: answered.promise, drop }, 'nothing').then((answer) => seen.given.push(answer));
    return answered.resolve;
  }
  const rebalance = () => {
    isRebalancing = true;
  };
  return { clock, fetches, seen, wait, rebalance };
}

describe('a waiting fetch', () => {
  it('is accompanied by a heartbeat each second until it is answered', async () => {
    const { clock, seen, wait } = given();
    const answer = wait();
    await passTime(clock, 4500);
    expect(seen.heartbeats).toBe(4);
    answer('messages');
    await passTime(clock, 60_000);
    expect(seen).toEqual({ heartbeats: 4, dropped: 0, given: ['messages'] });
  });

  it('shares its heartbeats with fetches at other brokers', async () => {
    const { clock, seen, wait } = given();
    const [first, second] = [wait(), wait()];
    await passTime(clock, 2500);
    expect(seen.heartbeats).toBe(2);
    first('messages');
    await passTime(clock, 2000);
    expect(seen.heartbeats).toBe(4);
    second('messages');
    await passTime(clock, 60_000);
    expect(seen.heartbeats).toBe(4);
  });

  it('is dropped at all brokers when a heartbeat is refused, and heartbeats stop', async () => {
    const { clock, seen, wait, rebalance } = given();
    wait();
    wait();
    await passTime(clock, 1500);
    rebalance();
    await passTime(clock, 60_000);
    expect(seen).toEqual({ heartbeats: 2, dropped: 2, given: ['nothing', 'nothing'] });
  });

  it('is dropped at once if it is interrupted, and the next fetch waits again', async () => {
    const { clock, fetches, seen, wait } = given();
    wait();
    fetches.interrupt();
    await settled();
    expect(seen.given).toEqual(['nothing']);
    wait();
    await passTime(clock, 3500);
    expect(seen).toEqual({ heartbeats: 3, dropped: 1, given: ['nothing'] });
  });

  it('is dropped when the consumer ends, and no other fetch is made', async () => {
    const { fetches, seen, wait } = given();
    wait();
    expect(fetches.isOver).toBe(false);
    fetches.end();
    await settled();
    expect([seen.given, fetches.isOver]).toEqual([['nothing'], true]);
  });

  it('is awaited until its answer if it cannot be dropped', async () => {
    const { fetches, seen, wait } = given();
    const answer = wait({ canBeDropped: false });
    fetches.interrupt();
    await settled();
    expect(seen.given).toEqual([]);
    answer('messages');
    await settled();
    expect(seen.given).toEqual(['messages']);
  });
});
