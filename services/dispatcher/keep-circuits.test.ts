import { pino } from 'pino';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimedJob } from '../../test/support/claimed-job.ts';
import { clientIdOf, jobIdOf } from '../../test/support/conformance/job-subject.ts';
import { dispatcherSubject } from '../../test/support/dispatcher-subject.ts';
import { createMemoryHostCircuits } from '../../test/support/memory/host-circuits.ts';
import { passTime } from '../../test/support/pass-time.ts';
import { everyHost } from './call/call-job.ts';
import { heldJobOf, type HeldJob } from './jobs/held-job.ts';
import { createCircuitKeeper } from './keep-circuits.ts';

const note = { status: null, latencyMs: null, error: null, answer: null };

describe('the keeper of circuits', () => {
  let subject: ReturnType<typeof subjectOf>;
  beforeEach(() => {
    subject = subjectOf();
  });

  function subjectOf() {
    const { clock, tables, changes, termsOf } = dispatcherSubject();
    const circuits = createMemoryHostCircuits({ tables, owner: 'a' });
    const keeper = createCircuitKeeper({
      circuits,
      changes,
      clock,
      logger: pino({ level: 'silent' }),
      clients: { termsOf },
      leaseOf: () => 10_000,
      onProbe: () => undefined,
    });
    let jobs = 0;
    const jobOf = (url: string, clientId = clientIdOf(1)) =>
      heldJobOf(claimedJob({ dueUs: 1, jobId: jobIdOf(++jobs), clientId, url }), clock.monotonicMs(), 10_000);
    const called = (job: HeldJob, sign: 'answers' | 'fails', latencyMs: number | null = null) =>
      keeper.onCalled({
        job,
        host: job.probeOf ?? job.host,
        note: { ...note, latencyMs },
        sign,
        terms: termsOf(job.clientId),
        verdict: sign === 'fails' ? { kind: 'retry', delayMs: 1000 } : { kind: 'called' },
      });
    const open = async (host: string) => {
      await circuits.open({ clientId: clientIdOf(1), host }, 'down', 60_000);
      keeper.start();
      await passTime(clock, 100);
    };
    const permitOf = (job: HeldJob) => keeper.refusalOf(job, job.host);
    const openHosts = () => [...tables.circuits.values()].map(({ host }) => host);
    return { clock, keeper, jobOf, called, open, permitOf, openHosts };
  }

  it('ends the first call of a route without a result if its client was disabled before the call', async () => {
    const { keeper, jobOf, open, permitOf } = subject;
    await open('one.example');
    const job = jobOf('https://one.example/a');
    expect([permitOf(job), keeper.isFirstHand(job)]).toEqual([null, true]);
    keeper.onCalled({
      job,
      host: job.host,
      note,
      sign: 'none',
      terms: undefined,
      verdict: { kind: 'sidelined', host: everyHost },
    });
    expect(keeper.isFirstHand(job)).toBe(false);
    await keeper.stop();
  });

  it.each(['/1', '/', '/orders'])('permits a first call of the route %s', async (path) => {
    const { keeper, jobOf, open, permitOf } = subject;
    await open('one.example');
    const job = jobOf(`https://one.example${path}`);
    expect([permitOf(job), keeper.isFirstHand(job)]).toEqual([null, true]);
    await keeper.stop();
  });

  it('releases five jobs of a sidelined host, and sidelines the others', async () => {
    const { keeper, jobOf, open, permitOf } = subject;
    await open('one.example');
    const kinds = Array.from({ length: 1000 }, (_, shop) => permitOf(jobOf(`https://one.example/hooks/${name(shop)}`)));
    expect(kinds.slice(0, 5).map((refusal) => refusal?.kind)).toEqual([
      undefined,
      ...['released', 'released', 'released', 'released'],
    ]);
    expect(kinds.slice(5).every((refusal) => refusal?.kind === 'sidelined')).toBe(true);
    await keeper.stop();
  });

  it('sidelines a host after less than 20 calls if nine of ten fail, each with another path', () => {
    const { jobOf, called, openHosts } = subject;
    let calls = 0;
    while (openHosts().length === 0 && calls < 2000) {
      called(jobOf(`https://one.example/hooks/${name(calls)}/orders`), calls++ % 10 === 0 ? 'answers' : 'fails');
    }
    expect(openHosts()).toEqual(['one.example']);
    expect(calls).toBeLessThan(20);
  });

  it.each([
    [29_000, 'one.example/bad'],
    [1000, 'one.example'],
  ])('attributes a failed call that took %d ms to %s', (tookMs, leftAlone) => {
    const { clock, jobOf, called, openHosts } = subject;
    called(jobOf('https://one.example/good'), 'answers');
    clock.advance(30_000);
    for (let nth = 0; nth < 5; nth++) called(jobOf('https://one.example/bad'), 'fails', tookMs);
    expect(openHosts()).toEqual([leftAlone]);
  });

  it('does not sideline a host if fewer than half of its paths fail', () => {
    const { jobOf, called, openHosts } = subject;
    for (let call = 0; call < 2000; call++) {
      called(jobOf(`https://one.example/hooks/${name(call)}/orders`), call % 5 < 2 ? 'fails' : 'answers');
    }
    expect(openHosts()).toEqual([]);
  });

  it('sidelines up to 32 routes of a host separately, then the host', async () => {
    const { clock, jobOf, called, openHosts } = subject;
    const failRoute = async (route: number) => {
      called(jobOf('https://one.example/good'), 'answers');
      for (let nth = 0; nth < 5; nth++) called(jobOf(`https://one.example/bad-${name(route)}`), 'fails');
      await passTime(clock, 10_000);
    };
    for (let route = 0; route < 32; route++) await failRoute(route);
    const routes = Array.from({ length: 32 }, (_, route) => `one.example/bad-${name(route)}`);
    expect(openHosts()).toEqual(routes);
    await failRoute(32);
    expect(openHosts()).toEqual([...routes, 'one.example']);
  });

  it('counts the answers of a recovering host, even if none of its calls has failed yet', async () => {
    const { keeper, jobOf, called, open, permitOf } = subject;
    await open('one.example');
    const first = jobOf('https://one.example/a');
    expect(permitOf(first)).toBeNull();
    for (const job of [first, ...Array.from({ length: 5 }, () => jobOf('https://one.example/a'))]) {
      called(job, 'answers');
    }
    for (let nth = 0; nth < 3; nth++) called(jobOf('https://one.example/a'), 'fails');
    expect(permitOf(jobOf('https://one.example/a'))).toBeNull();
    for (let nth = 0; nth < 3; nth++) called(jobOf('https://one.example/a'), 'fails');
    expect(permitOf(jobOf('https://one.example/a'))).toEqual({ kind: 'sidelined', host: 'one.example' });
    await keeper.stop();
  });

  it.each([
    ['before it, by the host', 'one.example', 1001, null],
    ['before it, by its route', 'one.example/a', 1001, null],
    ['after it, by the host', 'one.example', 1000, { kind: 'sidelined', host: 'one.example' }],
    ['after it, by its route', 'one.example/a', 1000, { kind: 'sidelined', host: 'one.example' }],
  ])(
    'counts failed calls of a recovered host only if they began after the recovery: these began %s',
    async (_when, aside, tookMs, refusal) => {
      const { clock, keeper, jobOf, called, open, permitOf } = subject;
      await open(aside);
      const probe = { ...jobOf('https://one.example/a'), probeOf: aside };
      called(probe, 'answers');
      expect(permitOf(jobOf('https://one.example/a'))).toBeNull();
      clock.advance(1000);
      for (let nth = 0; nth < 5; nth++) called(jobOf('https://one.example/a'), 'fails', tookMs);
      expect(permitOf(jobOf('https://one.example/a'))).toEqual(refusal);
      await keeper.stop();
    },
  );

  it('remembers the failures of a host while 10,000 hosts of another client fail', () => {
    const { jobOf, called, openHosts } = subject;
    for (let nth = 0; nth < 4; nth++) called(jobOf('https://one.example/a'), 'fails');
    for (let host = 0; host < 10_001; host++) called(jobOf(`https://${name(host)}.example/a`, clientIdOf(2)), 'fails');
    called(jobOf('https://one.example/a'), 'fails');
    expect(openHosts()).toEqual(['one.example']);
  });
});

/**
 * Returns a different name for each number. The name has only letters, so that it counts as a word of a path and not as
 * an id.
 */
function name(number: number): string {
  return Array.from(`${number}`, (digit) => 'abcdefghij'[Number(digit)]).join('');
}
