import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { until } from './support/until.ts';

/** Calls take some time, so that a process is stopped during some of them. */
const slow = { slow: { latencyMs: 300 } };
const jobs = 600;
/**
 * Until then the last heartbeat is 10 s old, the sweep has looked, and another dispatcher has the partitions. Then 300
 * calls of 1 s follow, in turns.
 */
const takenOverWithinMs = 30_000;

/** A dispatcher that has just joined the group holds no jobs that another could take over. */
const allHoldJobs = (trial: CallbackTrial) =>
  until('each dispatcher has jobs in its hands', async () => {
    return (await trial.database.count('select distinct owner from job_claims')) === trial.names('dispatcher').length;
  });

describe('row 35: dispatchers that stop between claim, call and result', () => {
  let trial: CallbackTrial;
  beforeEach(async () => {
    trial = await startCallbackTrial();
    await trial.receiver.behave(slow);
    await trial.schedule({ count: jobs, path: 'slow', dueInMs: 500 });
    await trial.awaitCalls(50);
  });
  afterEach(() => trial.end());

  /** Only jobs with a claim at that moment may be called twice. */
  const openNow = () => trial.database.count('select 1 from job_claims');

  const endedNow = () => trial.database.count('select 1 from ended_jobs');

  async function verdictOn(scenario: string, doubled: number): Promise<string[]> {
    await trial.awaitEnded();
    return await trial.judgeCallbacks({ rows: '35', scenario, allow: { doubled } });
  }

  it('have their jobs called again under their ids and ended once if killed between claim and call or in calls', async () => {
    await allHoldJobs(trial);
    const open = await openNow();
    await trial.kill('dispatcher-1');
    await trial.restart('dispatcher-1');

    expect(await verdictOn('dispatcher killed in calls', open)).toEqual([]);
  });

  it('have their answered jobs called again and ended once if killed between call and result', async () => {
    const lock = await trial.database.hold('lock table ended_jobs in exclusive mode');
    await lock.awaitWaiting('job_claims', 2);
    const open = await openNow();
    // Neither claims nor ends can be written now. The claimed jobs get their answers, which the dispatchers keep in
    // memory.
    await until('all calls are answered', () => trial.receiver.calls().every(({ endedAtMs }) => endedAtMs !== null));
    expect(trial.receiver.calls().length).toBeGreaterThan(await endedNow());
    await trial.kill('dispatcher-1');
    await lock.release();
    await trial.restart('dispatcher-1');

    expect(await verdictOn('dispatcher killed between call and end', open)).toEqual([]);
  });

  it('lose their jobs to other dispatchers and neither call nor record them afterwards if frozen past their lease', async () => {
    await allHoldJobs(trial);
    const open = await openNow();
    trial.freeze('dispatcher-1');
    await until('what it holds is taken over', async () => {
      return (await trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`)) > 0;
    });
    await trial.awaitEnded();
    trial.thaw('dispatcher-1');
    await trial.schedule({ count: 50 });

    expect(await verdictOn('dispatcher frozen past its lease', open)).toEqual([]);
  });

  it('leave no job waiting for its lease, and repeat no call, if they are replaced one by one', async () => {
    // A dispatcher that is still starting would be ended by the signal, so the test waits until all are at work.
    await allHoldJobs(trial);
    for (const name of trial.names('dispatcher')) {
      expect(await trial.stop(name)).toBe(0);
      await trial.restart(name);
    }

    expect(await verdictOn('dispatchers replaced', 0)).toEqual([]);
    expect(await trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`)).toBe(0);
  });
});

describe('row 60: dispatchers that end at default settings', () => {
  let trial: CallbackTrial;
  async function begin(without?: FaultControl): Promise<void> {
    const usual = { SCHEDULER_LEASE_MS: '10000', DISPATCHER_LEASE_MS: '90000' };
    trial = await startCallbackTrial({ engine: usual, ...(without && { without }) });
    await trial.receiver.behave({ slow: { latencyMs: 1000 } });
  }
  beforeEach(() => begin());
  afterEach(() => trial.end());

  const takenOver = () => trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`);

  it('leave no job waiting for a lease: all their jobs are called within 15 s', async () => {
    await trial.schedule({ count: jobs, path: 'slow', dueInMs: 500 });
    await allHoldJobs(trial);
    const open = await trial.database.count('select 1 from job_claims');
    await trial.kill('dispatcher-1');
    await trial.awaitEnded(takenOverWithinMs);

    expect(await takenOver()).toBeGreaterThan(0);
    const verdict = { rows: '60', scenario: 'dispatcher killed at default settings', allow: { doubled: open } };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });

  it('leave jobs waiting for their leases if their death is not detected (control)', async () => {
    await trial.end();
    await begin(faultControls.theDeadAreMissed);
    await trial.schedule({ count: jobs, path: 'slow', dueInMs: 500 });
    await allHoldJobs(trial);
    await trial.kill('dispatcher-1');
    await expect(trial.awaitEnded(takenOverWithinMs)).rejects.toThrow();
    expect(await takenOver()).toBe(0);
  });

  const callsMore = async (name: string) => {
    const before = trial.receiver.calls().length;
    await until(`${name} calls`, () => trial.receiver.calls().length >= before + 30);
  };

  it('repeat no call that ends within the stop deadline if replaced during calls of 6 s', async () => {
    await trial.receiver.behave({ slow: { latencyMs: 6000 } });
    await trial.schedule({ count: 300, path: 'slow', spreadMs: 10_000 });
    for (const name of trial.names('dispatcher')) {
      await callsMore(name);
      expect(await trial.stop(name)).toBe(0);
      await trial.restart(name);
    }
    await trial.awaitEnded(60_000);

    expect(await takenOver()).toBe(0);
    const verdict = { rows: '60', scenario: 'dispatchers replaced, calls of 6 s' };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });

  it('repeat calls that are longer than the stop deadline if replaced (control)', async () => {
    await trial.stop('dispatcher-1');
    await trial.muster.restart('dispatcher-1', { STOP_DEADLINE_MS: '1000' });
    await trial.receiver.behave({ slow: { latencyMs: 6000 } });
    const jobs = await trial.schedule({ count: 300, path: 'slow', spreadMs: 10_000 });
    await allHoldJobs(trial);
    const open = await trial.database.count('select 1 from job_claims');
    expect(await trial.stop('dispatcher-1')).not.toBe(0);
    await trial.restart('dispatcher-1');
    await trial.awaitEnded(60_000);

    expect(await takenOver()).toBeGreaterThan(0);
    expect(trial.receiver.calls().length).toBeGreaterThan(jobs.length);
    const allow = { doubled: open };
    const verdict = { rows: '60', scenario: 'deadline shorter than calls', allow, ownEnds: 1 };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });
});
