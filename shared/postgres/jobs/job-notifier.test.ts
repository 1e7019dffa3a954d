import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createJobNotifier } from './job-notifier.ts';

function setUp() {
  const clock = createSettableClock();
  const state = { told: 0, isDown: false };
  const tell = () => {
    state.told++;
    return state.isDown ? Promise.reject(new Error('scripted failure')) : Promise.resolve();
  };
  return { clock, state, notifier: createJobNotifier({ tell, clock }) };
}

describe('the notification of stored jobs', () => {
  it('is sent at once for the first job, and then at most every 250 ms', () => {
    const { clock, state, notifier } = setUp();
    notifier.committed(0);
    expect(state.told).toBe(1);
    for (let job = 0; job < 1000; job++) notifier.committed(0);
    clock.advance(249);
    notifier.committed(0);
    expect(state.told).toBe(1);
    clock.advance(1);
    notifier.committed(0);
    expect(state.told).toBe(2);
  });

  it('is not sent for jobs that schedulers find in time without it', () => {
    const { state, notifier } = setUp();
    notifier.committed(3001);
    notifier.committed(Infinity);
    expect(state.told).toBe(0);
    notifier.committed(3000);
    expect(state.told).toBe(1);
  });

  it('is sent at once for the next job after a failed notification', async () => {
    const { state, notifier } = setUp();
    state.isDown = true;
    notifier.committed(0);
    await settled();
    state.isDown = false;
    notifier.committed(0);
    expect(state.told).toBe(2);
  });
});
