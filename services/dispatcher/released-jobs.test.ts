import { describe, expect, it } from 'vitest';
import {
  claimWithoutSlots,
  clientQueuesSubject,
  leaseMs,
  levelsOf,
  withHangingRoute,
  withRoutes,
} from '../../test/support/client-queues-subject.ts';

describe('released jobs', () => {
  it('have waited for two seconds without a slot, and make room for other jobs', () => {
    const { clock, queues, slots, started, claim } = claimWithoutSlots();
    clock.advance(1999);
    expect(queues.turn()).toEqual([]);
    expect(queues.longestWaitMs()).toBe(1999);
    clock.advance(1);
    expect(queues.turn().map(({ job }) => job.jobId)).toEqual(['1', '2', '3', '4', '5']);
    expect([levelsOf(queues), queues.longestWaitMs()]).toEqual([{ queued: 3, waiting: 0, inFlight: 0 }, 0]);
    expect(queues.turn()).toEqual([]);
    slots.set('shop', 5);
    expect(claim()).toHaveLength(3);
    expect(started).toHaveLength(3);
  });

  it('include jobs whose lease has ended, even without a wait', () => {
    const { clock, queues, slots, jobOf, reference } = clientQueuesSubject();
    slots.set('shop', 0);
    const job = jobOf(reference('shop'));
    clock.advance(leaseMs - 1);
    queues.hold([job]);
    expect(queues.turn()).toEqual([]);
    clock.advance(1);
    expect(queues.turn()).toEqual([{ job, delayMs: 0 }]);
  });

  it('are due again when the pause that their receiver requested has ended', () => {
    const { queues, jobOfRoute } = withRoutes({
      busy: { end: 'unanswered', pressure: 'throttled', retryAfterMs: 5000 },
    });
    queues.hold([jobOfRoute('busy'), jobOfRoute('quiet')]);
    const [released, ...others] = queues.turn();
    expect([released?.job.route, others]).toEqual(['one.example/busy', []]);
    expect(released?.delayMs).toBeGreaterThanOrEqual(5000);
    expect(levelsOf(queues)).toEqual({ queued: 0, waiting: 0, inFlight: 1 });
  });

  it('are due again early enough to be called before they expire', () => {
    const { queues, hang, jobsOf } = withHangingRoute({ ofClient: 8 });
    hang(4);
    queues.hold([...jobsOf('hangs', 9), ...jobsOf('hangs', 1, 2000)]);
    const delays = queues.turn().map(({ delayMs }) => delayMs);
    expect(delays.slice(-2)).toEqual([2750, 1000]);
  });

  it('are limited to 400 a second for one client', () => {
    const { clock, queues, add, hang, jobsOf, credit } = withHangingRoute({ ofClient: 40 });
    hang(20);
    let released = 0;
    for (let flushes = 0; flushes < 300; flushes++) {
      if (flushes % 100 === 0) add('shop', 5000);
      queues.hold(jobsOf('hangs', queues.take(500).length));
      released += queues.turn().length;
      expect(queues.waiting).toBeLessThanOrEqual(20 + 4);
      clock.advance(10);
    }
    expect(released).toBeGreaterThan(900);
    expect(released).toBeLessThanOrEqual(3 * 400 + 40);
    queues.clear();
    expect(credit().toClients['shop']).toBeGreaterThan(600);
  });

  it('are due again at a quarter of the rate limit of their client', () => {
    const { queues, hang, jobsOf } = withHangingRoute({ ofClient: 8, ratePerSecondOf: () => 10 });
    hang(4);
    const delays: number[] = [];
    queues.hold(jobsOf('hangs', 100));
    for (const { delayMs } of queues.turn()) delays.push(delayMs);
    const gaps = delays.slice(1).map((delayMs, nth) => Math.round(delayMs - (delays[nth] ?? 0)));
    expect(new Set(gaps)).toEqual(new Set([400]));
  });

  it('are due again within two minutes at a rate of one a second, and only a few jobs are released at once', () => {
    const { clock, queues, hang, jobsOf } = withHangingRoute({ ofClient: 8, ratePerSecondOf: () => 1 });
    hang(4);
    queues.hold(jobsOf('hangs', 300));
    const delays: number[] = [];
    for (let flushes = 0; flushes < 19; flushes++) {
      queues.take(500);
      for (const { delayMs } of queues.turn()) delays.push(delayMs);
      clock.advance(100);
    }
    // A quarter of the client's rate, for two minutes, is 30 jobs.
    expect(delays.length).toBeGreaterThan(20);
    expect(delays.length).toBeLessThanOrEqual(1 + 30);
    clock.advance(100);
    for (const { delayMs } of queues.turn()) delays.push(delayMs);
    expect(delays).toHaveLength(300);
    expect(Math.max(...delays)).toBe(120_000);
  });

  it('are at most 500 a second, shared evenly by all clients', () => {
    const { clock, queues, reference, jobTo } = clientQueuesSubject({ concurrency: 10_000, ofClient: 8 });
    const clients = Array.from({ length: 100 }, (_, index) => `c${index}`);
    const hold = (clientId: string, route: string, count: number) =>
      queues.hold(Array.from({ length: count }, () => jobTo(`https://one.example/${route}`, reference(clientId))));
    for (const clientId of clients) {
      hold(clientId, 'other', 1);
      hold(clientId, 'hangs', 4);
    }
    clock.advance(1000);
    const released: string[] = [];
    for (const clientId of clients) hold(clientId, 'hangs', 20);
    for (let flushes = 0; flushes < 100; flushes++) {
      queues.take(500);
      for (const { job } of queues.turn()) released.push(job.clientId);
      clock.advance(10);
    }
    expect(released).toHaveLength(500);
    for (const clientId of clients) expect(released.filter((each) => each === clientId)).toHaveLength(5);
  });

  it('are few if the dispatcher finds only one route among many jobs, and many again with a second route', () => {
    const { clock, queues, reference, jobTo } = clientQueuesSubject({ ofClient: 8 });
    const jobsOf = (route: string, count: number) =>
      Array.from({ length: count }, () => jobTo(`https://one.example/${route}`, reference('shop')));
    queues.hold(jobsOf('hangs', 4));
    clock.advance(1000);
    const released = (seconds: number) => {
      let count = 0;
      for (let flushes = 0; flushes < 100 * seconds; flushes++) {
        queues.take(500);
        queues.hold(jobsOf('hangs', 8 - queues.inFlight - queues.waiting));
        count += queues.turn().length;
        clock.advance(10);
      }
      return count;
    };
    expect(released(2)).toBeGreaterThanOrEqual(100);
    expect(released(10)).toBeLessThanOrEqual(110);
    queues.hold(jobsOf('other', 1));
    expect(released(2)).toBeGreaterThan(150);
  });
});
