import { afterEach, describe, expect, it } from 'vitest';
import { changeJobs, createJobs, getClientLedger, getJob } from '../../sdk/generated/sdk.gen.ts';
import { startCallbackReceiver, type CallbackReceiver } from './support/callback-receiver.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { latenessOf } from './support/measure-callbacks.ts';
import { lasting, until } from './support/until.ts';

describe('failing receivers of callbacks', () => {
  let trial: CallbackTrial;
  let neighbour: CallbackReceiver | undefined;
  afterEach(async () => {
    await trial.end();
    await neighbour?.end();
    neighbour = undefined;
  });

  const outcomes = async (ids: readonly string[]) => {
    const jobs = await Promise.all(ids.map((id) => getJob({ client: trial.client, path: { id } })));
    return [...new Set(jobs.map(({ data }) => data.state))];
  };

  it('rows 20 to 24, for callbacks: calls that hang, are reset, refused, gone or rate-limited are retried or ended by the response', async () => {
    trial = await startCallbackTrial();
    // The number of calls is checked, so only the calls that hang may exceed the time-out, even on a slow machine.
    await trial.addClient('unlucky', { retry: { strategy: 'fixed', attempts: 5, delayMs: 500 } });
    await trial.receiver.behave({
      hangs: { does: 'hang', times: 1 },
      resets: { does: 'reset', times: 2 },
      gone: { status: 410 },
      busy: { status: 429, headers: { 'retry-after': '3' }, times: 1 },
      broken: { status: 500 },
    });
    const over = trial.injections.begin('receiver hangs, resets, 410, 429, 500', 'receiver');
    const jobsOf = (path: string) => trial.schedule({ count: 30, client: 'unlucky', path });
    const [hangs, resets, gone, busy, broken] = await Promise.all(
      ['hangs', 'resets', 'gone', 'busy', 'broken'].map(jobsOf),
    );
    await trial.awaitEnded();
    over();

    expect(await outcomes([...(hangs ?? []), ...(resets ?? []), ...(busy ?? [])])).toEqual(['called']);
    expect(await outcomes([...(gone ?? []), ...(broken ?? [])])).toEqual(['dead']);
    const calls = Map.groupBy(trial.receiver.calls(), ({ jobId }) => jobId);
    const timesOf = (ids: readonly string[] = []) => new Set(ids.map((id) => calls.get(id)?.length));
    expect([timesOf(hangs), timesOf(resets), timesOf(gone), timesOf(broken)]).toEqual([
      ...[new Set([2]), new Set([3]), new Set([1]), new Set([5])],
    ]);
    const gaps = (busy ?? []).map((id) => (calls.get(id)?.[1]?.atMs ?? 0) - (calls.get(id)?.[0]?.endedAtMs ?? 0));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(2900);
    expect(
      await trial.judgeCallbacks({ rows: '22', scenario: 'receivers that are not well', allow: { dead: 60 } }),
    ).toEqual([]);
  });

  it('row 37: jobs of a host that is down are sidelined, expire unsent or return slowly, and a neighbour is unaffected', async () => {
    trial = await startCallbackTrial();
    const { id } = await trial.addClient('shop', {
      retry: { strategy: 'fixed', attempts: 3, delayMs: 2000 },
      sideline: { afterFailures: 5, probeSeconds: 1 },
    });
    neighbour = await startCallbackReceiver();
    const beside = neighbour;
    const { secret } = await trial.addClient('beside');
    await beside.trust(secret);
    const over = trial.injections.begin('receiver down', '20 s');
    await trial.receiver.up(false);
    const lasts = await trial.schedule({ count: 2000, client: 'shop', spreadMs: 5000 });
    const short = await trial.schedule({ count: 200, client: 'shop', spreadMs: 5000, relevancySeconds: 8 });
    const jobs = Array.from({ length: 1500 }, (_, index) => ({
      url: `http://127.0.0.1:${beside.port}/well/${index}`,
      dueAt: new Date(Date.now() + index * 10).toISOString(),
    }));
    await createJobs({ client: trial.client, body: { client: 'beside', jobs } });
    await until('its jobs are sidelined', async () => {
      const { data: ledger } = await getClientLedger({ client: trial.client, path: { id } });
      return ledger.sidelined + ledger.expired + ledger.dead >= 2200;
    });
    await lasting(10_000);
    const backMs = Date.now();
    await trial.receiver.up(true);
    over();
    await trial.awaitEnded(120_000);

    expect(await outcomes(short.slice(0, 50))).toEqual(['expired']);
    expect(trial.receiver.calls().filter(({ jobId }) => short.includes(jobId))).toEqual([]);
    const called = trial.receiver.calls().filter(({ jobId }) => lasts.includes(jobId));
    // On a very busy machine some answers arrive too late, and their jobs are called again. The checker knows which
    // jobs.
    expect(new Set(called.map(({ jobId }) => jobId)).size).toBe(lasts.length);
    const firstMs = Math.min(...called.map(({ atMs }) => atMs));
    const within = (ms: number) => called.filter(({ atMs }) => atMs < firstMs + ms).length;
    // One probe, 10 jobs in the first second and 20 in the next. Looks are a second apart, so that two of them may fall
    // into the same second.
    expect(within(900)).toBeLessThanOrEqual(1 + 10 + 20);
    const drainSeconds = (Math.max(...called.map(({ atMs }) => atMs)) - backMs) / 1000;
    const scenario = 'host down and back';
    const allow = { expired: short.length };
    const measured = { 'first call after s': (firstMs - backMs) / 1000, 'drained after s': drainSeconds };
    expect(new Set(beside.calls().map(({ jobId }) => jobId)).size).toBe(1500);
    expect(await trial.judgeCallbacks({ rows: '37', scenario, measured, allow, elsewhere: beside.calls() })).toEqual(
      [],
    );
  });

  it('row 22: a receiver too slow for its jobs does not delay jobs of other clients (I8)', async () => {
    trial = await startCallbackTrial();
    await trial.addClient('crowd', { concurrency: 5 });
    await trial.receiver.behave({ crowd: { latencyMs: 1000 } });
    const alone = await trial.schedule({ count: 500, dueInMs: 500, spreadMs: 5000 });
    await trial.awaitEnded();
    const over = trial.injections.begin('receiver slow', '1 s');
    const crowd = await trial.schedule({ count: 5000, client: 'crowd', path: 'crowd', dueInMs: 500 });
    const beside = await trial.schedule({ count: 500, dueInMs: 3000, spreadMs: 5000 });
    const p99 = (ids: readonly string[]) => {
      const late = latenessOf(trial.accepted, trial.receiver.calls()).filter(({ jobId }) => ids.includes(jobId));
      return late.map(({ lateMs }) => lateMs).toSorted((a, b) => a - b)[Math.ceil(late.length * 0.99) - 1] ?? Infinity;
    };
    await until('all beside the crowd are called', () => p99(beside) < Infinity && calledOf(beside) === beside.length);
    over();
    await changeJobs({ client: trial.client, body: { verb: 'cancel', client: 'crowd' } });
    await trial.awaitEnded();

    const measured = { 'p99 alone ms': p99(alone), 'p99 beside ms': p99(beside) };
    expect(await trial.judgeCallbacks({ rows: '22', scenario: 'slow receiver, callbacks', measured })).toEqual([]);
    expect(crowd).toHaveLength(5000);
    // Schedulers look every 10 ms and dispatchers flush every 8 ms. Beside a crowd, a job waits for a few more of both.
    expect(p99(beside)).toBeLessThan(p99(alone) * 1.2 + 250);
  });

  const calledOf = (ids: readonly string[]) => {
    const called = new Set(trial.receiver.calls().map(({ jobId }) => jobId));
    return ids.filter((id) => called.has(id)).length;
  };
});
