import { describe, expect, it } from 'vitest';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { wreakHavoc } from './chaos.ts';

function startHavoc(areReady: () => Promise<boolean>) {
  const clock = createSettableClock();
  const killed: string[] = [];
  const ending = new AbortController();
  const kill = (name: string) => killed.push(name);
  const over = wreakHavoc({ clock, names: ['a', 'b'], kill, areReady, signal: ending.signal });
  return {
    killed,
    passSeconds: async (seconds: number) => {
      for (let second = 0; second < seconds; second++) {
        clock.advance(1000);
        for (let turn = 0; turn < 4; turn++) await Promise.resolve();
      }
    },
    end: async () => {
      ending.abort();
      await over;
    },
  };
}

describe('wreakHavoc', () => {
  it('kills one process after another, every 5 s, until it is stopped', async () => {
    const { killed, passSeconds, end } = startHavoc(() => Promise.resolve(true));
    await passSeconds(15);
    expect(killed).toEqual(['a', 'b', 'a']);
    await end();
    expect(killed).toHaveLength(3);
  });

  it('kills no process while another one is starting', async () => {
    let isReady = true;
    const { killed, passSeconds, end } = startHavoc(() => Promise.resolve(isReady));
    await passSeconds(5);
    isReady = false;
    await passSeconds(20);
    expect(killed).toEqual(['a']);
    isReady = true;
    await passSeconds(5);
    expect(killed).toEqual(['a', 'b']);
    await end();
  });
});
