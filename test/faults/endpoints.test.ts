import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { isFullScale } from './support/full-scale.ts';
import { startTrial, type Trial } from './support/trial.ts';
import { lasting, until } from './support/until.ts';

const segment = 'lapsed-riders';
const chain = [
  { action: 'award-reward', params: {} },
  { action: 'send-message', params: {} },
];

const stormSeconds = isFullScale ? 300 : 20;
const refusedSeconds = isFullScale ? 120 : 15;

describe('endpoints with wrong responses', () => {
  let trial: Trial;
  beforeAll(async () => {
    trial = await startTrial({ workers: 2, sandbox: { SANDBOX_SEGMENTS: `${segment}=10000` } });
  });
  afterAll(() => trial.end());

  it('row 23: partial success, missing users, wrong counts, garbage and slow or huge bodies give right outcomes with bounded memory', async () => {
    await trial.switchFaults({
      calls: [
        { name: 'giant', times: 4, answer: { kind: 'oversize', bytes: 1_000_000_000 } },
        { name: 'drip', share: 0.02, answer: { kind: 'drip', everyMs: 20 } },
        { name: 'garbage', share: 0.05, answer: { kind: 'garbage' } },
        {
          name: 'left-out',
          services: ['rewards'],
          share: 0.05,
          toAttempt: 1,
          answer: { kind: 'omit-users', userShare: 0.1 },
        },
        {
          name: 'try-later',
          services: ['rewards'],
          share: 0.1,
          answer: { kind: 'fail-users', userShare: 0.1, code: 'try-later', retryable: true },
        },
        {
          name: 'some-fail',
          services: ['rewards'],
          answer: { kind: 'fail-users', userShare: 0.02, code: 'out-of-stock' },
        },
      ],
    });
    const runId = await trial.muster.api.run({
      name: 'Odd answers',
      countries: trial.muster.countries,
      segment,
      chain,
    });
    await trial.awaitEnd(runId);
    const hits = await trial.faultHits();
    await trial.switchFaults();

    expect(Object.entries(hits).filter(([, count]) => count === 0)).toEqual([]);
    expect(await trial.judge(runId, { rows: '23', scenario: 'odd answers', segment })).toEqual([]);
    const { steps } = await trial.muster.api.report(runId);
    expect(steps.map(({ unknown }) => unknown)).toEqual([0, 0]);
    expect(steps[0]?.failed).toBeGreaterThan(100);
    expect(steps[0]?.failed).toBeLessThan(350);
  });

  it('row 23: inconsistent counts in class B leave users unknown, never failed', async () => {
    await trial.switchFaults({
      calls: [{ name: 'odd-sums', services: ['messages'], every: 20, answer: { kind: 'wrong-count' } }],
    });
    const runId = await trial.muster.api.run({ name: 'Odd sums', countries: trial.muster.countries, segment, chain });
    await trial.awaitEnd(runId);
    await trial.switchFaults();

    expect(await trial.judge(runId, { rows: '23', scenario: 'wrong counts', segment })).toEqual([]);
    expect((await trial.muster.api.report(runId)).steps[1]?.failed).toBe(0);
  });

  it(`row 22: 500 for ${stormSeconds} s in one country delays only that country, and no user is unknown`, async () => {
    await trial.switchFaults({
      calls: [{ name: 'storm', countries: ['ID'], answer: { kind: 'status', status: 500 } }],
    });
    const runId = await trial.muster.api.run({ name: 'Storm', countries: trial.muster.countries, segment, chain });
    await until('the others are through', async () => {
      const { countries } = await trial.muster.api.progress(runId);
      const others = countries.filter(({ country }) => country !== 'ID').flatMap(({ steps }) => steps);
      return others.length > 0 && others.every(({ pending, audience }) => pending === 0 && audience > 0);
    });
    const before = (await trial.faultHits())['storm'] ?? 0;
    await lasting(stormSeconds * 1000);
    const knocks = ((await trial.faultHits())['storm'] ?? 0) - before;
    await trial.switchFaults();

    await trial.awaitEnd(runId, 120_000);
    const measured = { 'calls during the storm': knocks, 'storm s': stormSeconds };
    expect(await trial.judge(runId, { rows: '22', scenario: '500 storm', segment, measured })).toEqual([]);
    const { steps, state } = await trial.muster.api.report(runId);
    expect([state, ...steps.map(({ failed, unknown }) => failed + unknown)]).toEqual(['completed', 0, 0]);
    // Both workers together send one probe at a time, 1, 2, 4 and 8 s apart, instead of a call for every waiting batch.
    expect(knocks).toBeLessThan(20 + (stormSeconds - 20) / 4);
  }, 900_000);
});

describe('unreachable endpoints', () => {
  let trial: Trial;
  let proxy: TcpProxy;
  beforeAll(async () => {
    const sandbox = { port: 0 };
    proxy = await startTcpProxy({ host: '127.0.0.1', port: 0 });
    trial = await startTrial({
      workers: 1,
      sandbox: { SANDBOX_SEGMENTS: `${segment}=3000` },
      configure: (config) => {
        const { port } = new URL(config.segmentation.url);
        sandbox.port = Number(port);
        const reward = config.actionTypes['award-reward'];
        if (!reward) throw new Error('there is no award-reward');
        const at = (origin: string) => ({ ...reward, url: `${origin}/rewards/v1/batches` });
        return {
          ...config,
          actionTypes: {
            ...config.actionTypes,
            'award-reward': at(`http://127.0.0.1:${proxy.port}`),
            'award-nowhere': at('http://muster.invalid'),
            'award-by-tls': at(`https://127.0.0.1:${port}`),
          },
        };
      },
    });
    proxy.aim({ host: '127.0.0.1', port: sandbox.port });
  });
  afterAll(async () => {
    await trial.end();
    await proxy.close();
  });

  it(`row 24: refused connections for ${refusedSeconds} s are retried, and no user failed or is unknown`, async () => {
    await proxy.listen(false);
    const healed = trial.injections.begin('refused', 'rewards');
    const runId = await trial.muster.api.run({ name: 'Closed', countries: trial.muster.countries, segment, chain });
    await until('batches wait', async () => (await trial.muster.api.progress(runId)).waitingForRetry > 0);
    await lasting(refusedSeconds * 1000);
    expect((await trial.ledger()).of(runId, 1).calls).toBe(0);
    await proxy.listen(true);
    healed();

    await trial.awaitEnd(runId);
    expect(await trial.judge(runId, { rows: '24', scenario: 'refused connections', segment })).toEqual([]);
    expect((await trial.muster.api.report(runId)).state).toBe('completed');
  }, 600_000);

  it.each([
    ['an unresolvable host', 'award-nowhere'],
    ['a TLS handshake that fails', 'award-by-tls'],
  ])('row 24: expire all users at the deadline, with no user failed or unknown: %s', async (what, action) => {
    const runId = await trial.muster.api.run({
      name: what,
      countries: trial.muster.countries,
      segment,
      chain: [{ action, params: {} }],
      deadlineSeconds: 60,
    });
    await trial.awaitEnd(runId, 120_000);

    const allow = { runStates: ['expired', 'completed_with_failures'] };
    expect(await trial.judge(runId, { rows: '24', scenario: what, segment, allow })).toEqual([]);
    const [line] = (await trial.muster.api.report(runId)).steps;
    expect(line).toMatchObject({ audience: 3000, expired: 3000, failed: 0, unknown: 0 });
  });
});
