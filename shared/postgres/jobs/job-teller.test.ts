import { describe, expect, it } from 'vitest';
import { settled } from '../../../test/support/pass-time.ts';
import { createSettableClock } from '../../../test/support/settable-clock.ts';
import { createJobTeller } from './job-teller.ts';

function setUp() {
  const clock = createSettableClock();
  const state = { told: 0, isDown: false };
  const tell = () => {
    state.told++;
    return state.isDown ? Promise.reject(new Error('scripted failure')) : Promise.resolve();
  };
  return { clock, state, teller: createJobTeller({ tell, clock }) };
}

describe('the notification of stored jobs', () => {
  it('is sent at once for the first job, and then at most every 250 ms', () => {
    const { clock, state, teller } = setUp();
    teller.committed(0);
    expect(state.told).toBe(1);
    for (let job = 0; job < 1000; job++) teller.committed(0);
    clock.advance(249);
    teller.committed(0);
    expect(state.told).toBe(1);
    clock.advance(1);
    teller.committed(0);
    expect(state.told).toBe(2);
  });

  it('is not sent for jobs that schedulers find in time without it', () => {
    const { state, teller } = setUp();
    teller.committed(3001);
    teller.committed(Infinity);
    expect(state.told).toBe(0);
    teller.committed(3000);
    expect(state.told).toBe(1);
  });

  it('is sent at once for the next job after a failed notification', async () => {
    const { state, teller } = setUp();
    state.isDown = true;
    teller.committed(0);
    await settled();
    state.isDown = false;
    teller.committed(0);
    expect(state.told).toBe(2);
  });
});
