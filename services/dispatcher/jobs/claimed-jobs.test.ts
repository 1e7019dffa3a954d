import { describe, expect, it } from 'vitest';
import {
  claimWithoutSlots,
  clientQueuesSubject,
  levelsOf,
  withHangingRoute,
  withRoutes,
} from '../../../test/support/client-queues-subject.ts';

describe('claimed jobs', () => {
  it('begin at the next turn after their client has got slots', () => {
    const { queues, slots, started } = claimWithoutSlots();
    expect(queues.turn()).toEqual([]);
    expect(started).toEqual([]);
    slots.set('shop', 2);
    expect(queues.turn()).toEqual([]);
    expect(levelsOf(queues)).toEqual({ queued: 3, waiting: 3, inFlight: 2 });
    expect(started.map(({ jobId }) => jobId)).toEqual(['1', '2']);
  });

  it('begin in turns by route, and the route with the fewest calls comes first', () => {
    const { queues, slots, started, jobOfRoute } = withRoutes();
    const before = started.length;
    slots.set('shop', 0);
    queues.hold(['busy', 'busy', 'busy', 'quiet', 'quiet'].map(jobOfRoute));
    slots.set('shop', 4);
    queues.turn();
    const routes = started.slice(before).map(({ route }) => route.split('/')[1]);
    expect(routes).toEqual(['busy', 'quiet', 'busy', 'quiet']);
  });

  it('leave slots to other routes if the dispatcher has fewer slots than the client', () => {
    const { queues, hang, jobsOf, started } = withHangingRoute({ concurrency: 20, ofClient: 100 });
    hang(10);
    const before = started.length;
    queues.turn();
    queues.hold(jobsOf('quick', 5));
    expect(started.slice(before).map(({ route }) => route.split('/')[1])).toEqual(Array(5).fill('quick'));
  });

  it('never need more than the slots, even while a fast route leaves slots to other routes', () => {
    const { queues, add, jobsOf } = withHangingRoute({ ofClient: 10 });
    for (let flushes = 0; flushes < 10; flushes++) {
      add('shop', 50);
      queues.hold(jobsOf('quick', queues.take(500).length));
      expect(queues.turn()).toEqual([]);
    }
    expect([queues.waiting > 0, queues.waiting + queues.inFlight]).toEqual([true, 10]);
  });

  it('count as in flight while their claims are written, and no longer if the write failed', () => {
    const { queues, add, claim } = clientQueuesSubject({ ofClient: 5 });
    add('shop', 20);
    const claims = queues.take(500);
    expect(claims).toHaveLength(5);
    expect(queues.take(500)).toEqual([]);
    queues.requeue(claims);
    expect(claim()).toHaveLength(5);
    expect(claim()).toEqual([]);
  });

  it('are not claimed in advance for a fast client without a slot', () => {
    const { clock, queues, slots, add, claim, end } = clientQueuesSubject();
    add('quick', 5000);
    for (let flushes = 0; flushes < 100; flushes++) {
      claim();
      clock.advance(10);
      while (queues.inFlight > 0) end('quick');
    }
    slots.set('quick', 0);
    expect(claim()).toEqual([]);
  });
});
