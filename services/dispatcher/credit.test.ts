import { describe, expect, it } from 'vitest';
import { clientQueuesSubject } from '../../test/support/client-queues-subject.ts';
import { mayQueue } from './credit.ts';

describe('the credit of a dispatcher', () => {
  it('is 200 for a client without jobs at the dispatcher', () => {
    expect(clientQueuesSubject().credit()).toEqual({ toAnyClient: 200, toClients: {} });
  });

  it('is 0 for a slow client whose queue here already holds two rounds of jobs', () => {
    const { add, claim, credit } = clientQueuesSubject();
    add('slow', 17);
    claim();
    expect(credit().toClients).toEqual({ slow: 13 });
    add('slow', 13);
    expect(credit().toClients).toEqual({ slow: 0 });
  });

  it('grows to the number of calls in two seconds, and shrinks when calls become slow', () => {
    const { clock, queues, add, claim, credit, end } = clientQueuesSubject({ concurrency: 1000, ofClient: 100 });
    add('quick', 40_000);
    for (let flushes = 0; flushes < 300; flushes++) {
      claim();
      clock.advance(10);
      for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) end('quick');
    }
    queues.clear();
    expect(credit().toClients['quick']).toBeGreaterThan(15_000);
    add('quick', 100);
    for (let flushes = 0; flushes < 300; flushes++) {
      claim();
      clock.advance(10);
    }
    expect(credit().toClients['quick']).toBeLessThanOrEqual(200);
  });

  it('is kept for a second after the last job, and is forgotten after 20 s', () => {
    const { clock, queues, add, claim, credit, end } = clientQueuesSubject({ concurrency: 1000, ofClient: 100 });
    const work = (ms: number) => {
      for (let passedMs = 0; passedMs < ms; passedMs += 10) {
        claim();
        clock.advance(10);
        for (let inFlight = queues.inFlight; inFlight > 0; inFlight--) end('quick');
      }
    };
    for (let seconds = 0; seconds < 3; seconds++) {
      add('quick', 1000);
      work(1000);
    }
    const before = credit().toClients['quick'] ?? 0;
    work(1000);
    expect(credit().toClients['quick']).toBeGreaterThan(before / 2);
    expect(credit().toClients['quick']).toBeGreaterThan(1000);
    work(20_000);
    expect(credit()).toEqual({ toAnyClient: 200, toClients: {} });
  });

  it('is at least the minimum for every client while another client has 150,000 jobs', () => {
    const { add, credit } = clientQueuesSubject();
    add('crowd', 150_000);
    expect(credit()).toEqual({ toAnyClient: 20, toClients: { crowd: 0 } });
  });

  it('is slightly less than the queue accepts, because schedulers read it with a delay', () => {
    const { queues, add } = clientQueuesSubject();
    add('crowd', 100_000);
    expect([mayQueue(queues, 'crowd'), mayQueue(queues, 'other')]).toEqual([false, true]);
    add('next', 99_999);
    add('third', 1);
    expect([mayQueue(queues, 'next'), mayQueue(queues, 'third')]).toEqual([false, true]);
  });
});
