import { beforeEach, describe, expect, it } from 'vitest';
import { createEvidenceMemory, createHostEvidence, type HostEvidence } from './host-evidence.ts';

describe('the decision whether a failed call counts for its host or its route', () => {
  let evidence: HostEvidence;
  let nowMs: number;
  let number: number;
  beforeEach(() => {
    [evidence, nowMs, number] = [createHostEvidence(), 100_000, 0];
  });
  const jobOf = (route: string, orderingKey: string | null = null) => ({ jobId: `${++number}`, route, orderingKey });
  const call = (sign: 'answers' | 'fails', route: string, orderingKey?: string) =>
    evidence.onCalled({ ...jobOf(route, orderingKey ?? null), sign, startedMs: nowMs }, nowMs);
  const failLate = (tookMs: number, route: string, orderingKey?: string) =>
    evidence.onCalled({ ...jobOf(route, orderingKey ?? null), sign: 'fails', startedMs: nowMs - tookMs }, nowMs);
  const permitOf = (route: string, orderingKey?: string) =>
    evidence.firstHandOf(jobOf(route, orderingKey ?? null), nowMs);
  /** Counts the jobs for each kind of permit. */
  const permitsOf = (count: number, routeOf: (nth: number) => string) => {
    const counts: Record<string, number> = {};
    for (let nth = 0; nth < count; nth++) {
      const permit = permitOf(routeOf(nth));
      counts[permit] = (counts[permit] ?? 0) + 1;
    }
    return counts;
  };

  it('blames the host if no other route gets an answer', () => {
    expect(call('fails', 'h/bad').isOfRoute).toBe(false);
    call('fails', 'h/other');
    expect(call('fails', 'h/bad').isOfRoute).toBe(false);
  });

  it('blames the route for ten seconds after another route got an answer, if that route has not failed since', () => {
    call('answers', 'h/good');
    nowMs += 9999;
    expect(call('fails', 'h/bad').isOfRoute).toBe(true);
    nowMs += 1;
    expect(call('fails', 'h/bad').isOfRoute).toBe(false);
    call('answers', 'h/good');
    nowMs += 1;
    call('fails', 'h/good');
    expect(call('fails', 'h/bad').isOfRoute).toBe(false);
  });

  it('blames the route if another route got an answer less than ten seconds before a long call began', () => {
    call('answers', 'h/good');
    nowMs += 60_000;
    expect(failLate(50_001, 'h/bad').isOfRoute).toBe(true);
    expect(failLate(50_000, 'h/bad').isOfRoute).toBe(false);
    call('fails', 'h/good');
    expect(failLate(50_001, 'h/bad').isOfRoute).toBe(false);
  });

  it('blames the ordering key if another key got an answer less than ten seconds before a long call began', () => {
    call('answers', 'h/a', 'good');
    nowMs += 60_000;
    expect(failLate(50_001, 'h/a', 'bad')).toMatchObject({ isOfKey: true, id: 'key bad' });
    expect(failLate(50_000, 'h/a', 'bad')).toMatchObject({ isOfKey: false, id: '3' });
  });

  it('counts all jobs of an ordering key as one if another key of the route is answered', () => {
    expect(call('fails', 'h/a', 'bad')).toMatchObject({ isOfKey: false, id: '1' });
    call('answers', 'h/a', 'good');
    expect(call('fails', 'h/a', 'bad')).toMatchObject({ isOfKey: true, id: 'key bad' });
    expect(call('fails', 'h/a', 'bad')).toMatchObject({ isOfKey: true, id: 'key bad' });
    expect(call('fails', 'h/a')).toMatchObject({ isOfKey: false, id: '5' });
  });

  it('blames neither route nor key if the key is answered', () => {
    call('answers', 'h/a', 'one');
    expect(call('answers', 'h/a', 'other')).toMatchObject({ isOfRoute: false, isOfKey: false, id: 'key other' });
    expect(call('answers', 'h/a', 'one')).toMatchObject({ isOfRoute: false, isOfKey: false, id: 'key one' });
  });

  it('counts jobs with a key separately if only other routes are answered', () => {
    call('answers', 'h/b', 'good');
    expect(call('fails', 'h/a', 'bad')).toMatchObject({ isOfRoute: true, isOfKey: false, id: '2' });
  });

  it('permits one first call per route without failures, at most four at once, 100 ms apart', () => {
    call('fails', 'h/bad');
    expect(permitOf('h/bad')).toBe('sideline');
    expect(permitOf('h/a')).toBe('call');
    expect(permitOf('h/b')).toBe('wait');
    for (const route of ['h/b', 'h/c', 'h/d']) {
      nowMs += 100;
      expect(permitOf(route)).toBe('call');
    }
    nowMs += 100;
    expect(permitOf('h/e')).toBe('sideline');
    expect(permitOf('h/d')).toBe('wait');
    nowMs += 1000;
    expect(permitOf('h/d')).toBe('sideline');
  });

  it('permits the first call again for the same job, and for another job after that call has ended', () => {
    const job = jobOf('h/a');
    expect([evidence.firstHandOf(job, nowMs), evidence.isFirstHand(job.jobId)]).toEqual(['call', true]);
    expect(evidence.firstHandOf(job, nowMs)).toBe('call');
    evidence.onEnded(job.jobId, 'none');
    expect(evidence.isFirstHand(job.jobId)).toBe(false);
    nowMs += 100;
    expect(permitOf('h/a')).toBe('call');
  });

  it('lets four jobs of other routes wait for their first call, for at most a second', () => {
    permitOf('h/a');
    const waiting = Array.from('bcde', (name) => jobOf(`h/${name}`));
    const permits = () => waiting.map((job) => evidence.firstHandOf(job, nowMs));
    expect(permits()).toEqual(['wait', 'wait', 'wait', 'wait']);
    expect(permitsOf(1000, (nth) => `h/other-${nth}`)).toEqual({ sideline: 1000 });
    expect(permits()).toEqual(['wait', 'wait', 'wait', 'wait']);
    nowMs += 100;
    expect(permits()).toEqual(['call', 'wait', 'wait', 'wait']);
    expect([permitOf('h/f'), permitOf('h/g')]).toEqual(['wait', 'sideline']);
    nowMs += 950;
    expect(permitOf('h/h')).toBe('call');
    expect(permitsOf(5, (nth) => `h/next-${nth}`)).toEqual({ wait: 3, sideline: 2 });
  });

  it('lets 64 jobs wait for the first call of their route', () => {
    permitOf('h/a');
    expect(permitsOf(1000, () => 'h/a')).toEqual({ wait: 64, sideline: 936 });
    expect(permitOf('h/b')).toBe('wait');
  });

  it('permits no first call after four failed first calls until the host answers', () => {
    const tryRoute = (nth: number, sign: 'answers' | 'fails' | 'gone' | 'none') => {
      const job = jobOf(`h/shop-${nth}`);
      nowMs += 100;
      const permit = evidence.firstHandOf(job, nowMs);
      evidence.onEnded(job.jobId, sign);
      return permit;
    };
    expect([0, 1, 2].map((nth) => tryRoute(nth, 'fails'))).toEqual(['call', 'call', 'call']);
    expect([3, 4].map((nth) => tryRoute(nth, 'none'))).toEqual(['call', 'call']);
    expect([5, 6].map((nth) => tryRoute(nth, 'fails'))).toEqual(['call', 'sideline']);
    nowMs += 3_600_000;
    evidence.onEnded('a probe', 'fails');
    expect(tryRoute(7, 'fails')).toBe('sideline');
    for (const sign of ['answers', 'gone'] as const) {
      evidence.onEnded('a probe', sign);
      expect([0, 1, 2, 3, 4].map((nth) => tryRoute(nth, 'fails'))).toEqual([
        ...['call', 'call', 'call', 'call'],
        'sideline',
      ]);
    }
  });

  it('blames the host as well if half of at least eight routes fail within ten seconds', () => {
    const routes = Array.from('abcdefgh', (name) => `h/${name}`);
    for (const route of routes.slice(0, 4)) call('answers', route);
    expect(routes.slice(4, 7).map((route) => call('fails', route).isOfMany)).toEqual([false, false, false]);
    expect(call('fails', 'h/h')).toMatchObject({ isOfRoute: true, isOfMany: true });
    call('answers', 'h/i');
    expect(call('fails', 'h/h').isOfMany).toBe(false);
    expect(call('fails', 'h/j').isOfMany).toBe(true);
    nowMs += 10_000;
    expect(call('fails', 'h/h').isOfMany).toBe(false);
  });

  it('blames the host as well if half of eight routes fail by calls that hang', () => {
    for (const name of 'abcd') call('answers', `h/${name}`);
    nowMs += 20_000;
    for (const name of 'efg') failLate(20_000, `h/${name}`);
    expect(failLate(10_000, 'h/h').isOfMany).toBe(false);
    expect(failLate(10_001, 'h/h').isOfMany).toBe(true);
  });

  it('does not blame the host if one key per route fails and another is answered', () => {
    for (const name of 'abcdefgh') {
      call('answers', `h/${name}`, 'good');
      nowMs += 1;
      expect(call('fails', `h/${name}`, 'bad')).toMatchObject({ isOfKey: true, isOfMany: false });
    }
  });

  it('permits a first call of another key if only one key has failed', () => {
    call('fails', 'h/a', 'bad');
    expect(permitOf('h/a', 'bad')).toBe('sideline');
    expect(permitOf('h/a', 'good')).toBe('call');
    call('fails', 'h/a', 'third');
    nowMs += 100;
    expect(permitOf('h/a', 'fourth')).toBe('sideline');
  });

  it('remembers the 64 most recently called routes', () => {
    call('fails', 'h/first');
    for (let route = 0; route < 64; route++) call('answers', `h/${route}`);
    expect(permitOf('h/first')).toBe('call');
  });
});

describe('the evidence memory of all hosts', () => {
  it('is limited over all hosts, and keeps a host with a first call in flight', () => {
    const memory = createEvidenceMemory();
    const job = (nth: number) => ({ jobId: `${nth}`, route: `h/${nth % 64}`, orderingKey: `${nth}` });
    const callMany = (host: string) => {
      for (let nth = 0; nth < 64 * 20; nth++)
        memory.of(host).onCalled({ ...job(nth), sign: 'answers', startedMs: 0 }, 0);
    };
    const tried = memory.of('tried');
    tried.firstHandOf(job(0), 0);
    const first = memory.of('host-0');
    for (let host = 0; host < 80; host++) callMany(`host-${host}`);
    expect(memory.find('tried')).toBe(tried);
    expect(memory.find('host-0')).toBeUndefined();
    expect(memory.of('host-0')).not.toBe(first);
    expect(memory.find('host-79')?.size).toBe(64 * 21);
  });
});
