import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import {
  cancelJob,
  replayQuarantinedJobs,
  changeJobs,
  createSchedule,
  getJobChange,
  getSchedule,
  listOccurrences,
  pauseSchedule,
  rescheduleJob,
  resumeSchedule,
  runJobNow,
} from '../../sdk/generated/sdk.gen.ts';
import { MusterProblem } from '../../sdk/muster.ts';
import type { Occurrence } from '../support/callback-evidence.ts';
import { ownerOf } from './support/callback-owners.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { startOwnPostgres, type OwnPostgres } from './support/own-postgres.ts';
import { startTcpProxy, type TcpProxy } from './support/tcp-proxy.ts';
import { lasting, until } from './support/until.ts';

/** Leases last longer than all faults except a kill, so a dispatcher that lives keeps its claims. */
const longLeases = { DISPATCHER_LEASE_MS: '20000' };

/** From the answer to the request for a pause until the request for its end. */
interface Pause {
  fromMs: number;
  untilMs: number;
}

describe('row 33: user actions while dispatchers and schedulers are killed, Postgres restarts and connections break', () => {
  let postgres: OwnPostgres;
  let line: TcpProxy;
  let trial: CallbackTrial;
  const api = () => ({ client: trial.client });
  /** Jobs that killed dispatchers had claimed: only those may be called twice. */
  let inDoubt = 0;
  beforeAll(async () => {
    postgres = await startOwnPostgres();
    const { hostname, port } = new URL(postgres.databaseUrl);
    line = await startTcpProxy({ host: hostname, port: Number(port) });
  });
  afterEach(async () => {
    line.resetEvery(0);
    await trial.end();
  });
  afterAll(async () => {
    await line.close();
    await postgres.end();
  });

  async function begin(): Promise<void> {
    inDoubt = 0;
    trial = await startCallbackTrial({
      servers: { databaseUrl: postgres.databaseUrl, kafkaBrokers: inject('kafkaBrokers') },
      throughProxy: (databaseUrl) => {
        const url = new URL(databaseUrl);
        url.host = `127.0.0.1:${line.port}`;
        return Promise.resolve(url.href);
      },
      engine: longLeases,
    });
  }

  async function killDispatcher(name: string): Promise<void> {
    const owner = ownerOf(trial, name);
    await trial.kill(name);
    const held = () => trial.database.count('select 1 from job_claims where owner = $1', [owner]);
    inDoubt += await until('what it had claimed is counted', held);
    await trial.restart(name);
  }

  async function killScheduler(name: string): Promise<void> {
    await trial.kill(name);
    await trial.restart(name);
  }

  async function resetConnections(): Promise<void> {
    const over = trial.injections.begin('connections reset', 'Postgres');
    line.resetEvery(40);
    await lasting(3000);
    line.resetEvery(0);
    over();
  }

  async function restartPostgres(): Promise<void> {
    const back = trial.injections.begin('Postgres restart', 'fast');
    await postgres.stopFast();
    await postgres.start();
    back();
  }

  const faults = [
    () => killDispatcher('dispatcher-1'),
    resetConnections,
    () => killScheduler('scheduler-1'),
    restartPostgres,
    () => Promise.all([killDispatcher('dispatcher-2'), killScheduler('scheduler-2')]),
    () => Promise.all([resetConnections(), killScheduler('scheduler-1')]),
    () => Promise.all([restartPostgres(), killDispatcher('dispatcher-1')]),
  ];

  /** Requests like a careful client: repeats until there is an answer. Undefined for a 409. */
  async function answerTo<T>(what: string, ask: () => Promise<{ data: T }>): Promise<T | undefined> {
    const { data } = await until(`${what} is answered`, async () => {
      try {
        return await ask();
      } catch (error) {
        if (error instanceof MusterProblem && error.problem.status === 409) return { data: undefined };
        throw error;
      }
    });
    return data;
  }

  /** Returns for each cancelled job when the API confirmed the cancellation. */
  async function cancelEach(jobIds: readonly string[]): Promise<Map<string, number>> {
    const cancelled = new Map<string, number>();
    for (const jobId of jobIds) {
      const answer = await answerTo('cancelling', () => cancelJob({ ...api(), path: { id: jobId } }));
      if (answer?.result === 'cancelled') cancelled.set(jobId, Date.now());
    }
    return cancelled;
  }

  async function moveEach(jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds) {
      const dueAtMs = Date.now() + 4000;
      const body = { dueAt: new Date(dueAtMs).toISOString() };
      const answer = await answerTo('moving', () => rescheduleJob({ ...api(), path: { id: jobId }, body }));
      if (answer) trial.moved(jobId, dueAtMs);
    }
  }

  async function runEach(jobIds: readonly string[]): Promise<void> {
    for (const jobId of jobIds) {
      trial.moved(jobId, Date.now());
      // The first request may have succeeded although its answer was lost. Then the job may already be in a call, and
      // the API answers 409.
      await answerTo('running now', () => runJobNow({ ...api(), path: { id: jobId } }));
    }
  }

  const callsOf = (jobIds: ReadonlySet<string>) => trial.receiver.calls().filter(({ jobId }) => jobIds.has(jobId));

  it('let each job end as the last response stated, if it is cancelled, moved or run now, singly or by filter', async () => {
    await begin();
    await trial.addClient('many');
    await trial.receiver.behave({ slow: { latencyMs: 200 } });
    const cancelled = new Map<string, number>();
    const runNow: string[] = [];
    for (const fault of faults) {
      const [kept, taken, moved, run] = await Promise.all([
        trial.schedule({ count: 150, path: 'slow', dueInMs: 500, spreadMs: 3000 }),
        trial.schedule({ count: 80, path: 'slow', dueInMs: 500, spreadMs: 3000 }),
        trial.schedule({ count: 40, path: 'slow', dueInMs: 500, spreadMs: 3000 }),
        trial.schedule({ count: 40, path: 'slow', dueInMs: 3_600_000 }),
      ]);
      expect(kept).toHaveLength(150);
      runNow.push(...run);
      const [answers] = await Promise.all([cancelEach(taken), moveEach(moved), runEach(run), fault()]);
      for (const [jobId, atMs] of answers) cancelled.set(jobId, atMs);
    }
    const crowd = new Set(await trial.schedule({ client: 'many', count: 2000, dueInMs: 1000, spreadMs: 20_000 }));
    await trial.awaitCalls(trial.receiver.calls().length + 100);
    const body = { verb: 'cancel', client: 'many' } as const;
    const change = await answerTo('cancelling all', () => changeJobs({ ...api(), body }));
    const path = { id: change?.id ?? '' };
    await resetConnections();
    await until('all that waited are cancelled', async () => {
      return (await getJobChange({ ...api(), path })).data.state === 'done';
    });
    const firing = await trial.database.count('select 1 from job_claims');
    const doneMs = Date.now();
    await trial.awaitEnded(120_000);

    const all = await trial.database.count(`select 1 from ended_jobs where outcome = 'cancelled'`);
    expect(cancelled.size).toBeGreaterThan(faults.length);
    expect(callsOf(new Set(cancelled.keys()))).toEqual([]);
    expect(new Set(callsOf(new Set(runNow)).map(({ jobId }) => jobId)).size).toBe(runNow.length);
    // Jobs that were already claimed when the request reached them are still called.
    expect(callsOf(crowd).filter(({ atMs }) => atMs > doneMs).length).toBeLessThanOrEqual(firing);
    const measured = { 'cancelled by one': cancelled.size, 'cancelled in all': all, 'in doubt': inDoubt };
    const verdict = { rows: '33', scenario: 'changed while all breaks, callbacks', measured };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: inDoubt } })).toEqual([]);
  });

  it('let a paused schedule fire at no instant of the pause, and at each other instant once', async () => {
    await begin();
    const target = { client: 'orders', url: trial.url('recurring/hook') };
    const definition = { name: 'each second', everySeconds: 1, misfire: 'fire-all', target } as const;
    const { id, createdAt } = (await createSchedule({ ...api(), body: definition })).data;
    const requested = { ...api(), path: { id } };
    const pause = () => answerTo('pausing', () => pauseSchedule({ ...requested, body: {} }));
    const pauses: Pause[] = [];
    for (const fault of faults) {
      const calls = trial.receiver.calls().length;
      const breaking = fault();
      await until('it fires', () => trial.receiver.calls().length > calls + 1);
      await pause();
      const fromMs = Date.now();
      await Promise.all([breaking, lasting(3000)]);
      pauses.push({ fromMs, untilMs: Date.now() });
      await answerTo('resuming', () => resumeSchedule({ ...requested, body: {} }));
    }
    const calls = trial.receiver.calls().length;
    await until('it goes on', () => trial.receiver.calls().length > calls + 1);
    await pause();
    await trial.awaitEnded(120_000);
    const { decidedUntil, from } = (await getSchedule(requested)).data;
    let instants = 0;
    for (let atMs = Date.parse(from ?? createdAt); atMs <= Date.parse(decidedUntil); atMs += 1000) {
      if (atMs > Date.parse(createdAt)) instants++;
    }

    const { items } = (await listOccurrences({ ...requested, query: { limit: 1000 } })).data;
    const fired = items.filter(({ state }) => state === 'fired');
    const skipped = items.filter(({ state }) => state === 'skipped');
    expect(fired.length + skipped.reduce((sum, { instants }) => sum + instants, 0)).toBe(instants);
    expect(new Set(skipped.map(({ cause }) => cause))).toEqual(new Set(['paused']));
    const inPauses = fired.filter(({ scheduledFor }) => {
      const atMs = Date.parse(scheduledFor);
      return pauses.some(({ fromMs, untilMs }) => atMs > fromMs && atMs < untilMs);
    });
    expect(inPauses).toEqual([]);
    const occurrences = fired.map(({ scheduledFor }): Occurrence => ({ scheduleId: id, group: '', scheduledFor }));
    const measured = { fired: fired.length, skipped: instants - fired.length };
    const verdict = { rows: '33', scenario: 'paused while all breaks, callbacks', occurrences, measured };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: inDoubt } })).toEqual([]);
  });

  it('let replayed dead jobs be called once with success under their id, and the ledger balances', async () => {
    await begin();
    await trial.addClient('fragile', { retry: { strategy: 'none' } });
    // Each job fails two calls, so that it becomes dead twice.
    await trial.receiver.behave({ fragile: { status: 500, times: 2 } });
    let replays = 0;
    const replay = async () => {
      const body = { client: 'fragile', perSecond: 100 };
      const answer = await answerTo('replaying', () => replayQuarantinedJobs({ ...api(), body }));
      replays += answer?.items ?? 0;
    };
    for (const fault of faults) {
      await Promise.all([
        trial.schedule({ client: 'fragile', path: 'fragile', count: 60, spreadMs: 2000 }),
        replay(),
        fault(),
      ]);
      await replay();
    }
    await until(
      'nobody is dead and nothing waits',
      async () => {
        await replay();
        return (await trial.openJobs()) === 0 && (await trial.database.count('select 1 from dead_jobs')) === 0;
      },
      120_000,
    );

    const succeeded = trial.receiver.calls().filter(({ status }) => status === 200);
    expect(new Set(succeeded.map(({ jobId }) => jobId)).size).toBe(60 * faults.length);
    const measured = { replays, 'in doubt': inDoubt };
    const verdict = { rows: '33', scenario: 'replayed while all breaks, callbacks', measured };
    expect(await trial.judgeCallbacks({ ...verdict, allow: { doubled: inDoubt } })).toEqual([]);
  });
});
