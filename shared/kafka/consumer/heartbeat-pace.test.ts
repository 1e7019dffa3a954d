import { describe, expect, it } from 'vitest';
import { createHeartbeatPace } from './heartbeat-pace.ts';

function givenPace() {
  let nowMs = 0;
  let sent = 0;
  const pace = createHeartbeatPace(() => nowMs);
  const beat = () => {
    sent += 1;
    return Promise.resolve();
  };
  const pass = (ms: number) => {
    nowMs += ms;
  };
  return { pace, beat, pass, sent: () => sent };
}

const refuse = () => Promise.reject(new Error('REBALANCE_IN_PROGRESS'));

describe('the pace of heartbeats', () => {
  it('sends the first heartbeat at once and then one a second', async () => {
    const { pace, beat, pass, sent } = givenPace();
    for (let tenths = 0; tenths < 30; tenths++) {
      await pace.sendIfDue(beat);
      pass(100);
    }
    expect(sent()).toBe(3);
  });

  it('counts a heartbeat that was sent outside of its schedule', async () => {
    const { pace, beat, pass, sent } = givenPace();
    await pace.send(beat);
    pass(999);
    await pace.sendIfDue(beat);
    expect(sent()).toBe(1);
    await pace.send(beat);
    expect(sent()).toBe(2);
  });

  it.each(['send', 'sendIfDue'] as const)('sends a heartbeat again at once after %s was refused', async (way) => {
    const { pace, beat, sent } = givenPace();
    await expect(pace[way](refuse)).rejects.toThrow('REBALANCE_IN_PROGRESS');
    await pace.sendIfDue(beat);
    expect(sent()).toBe(1);
  });
});
