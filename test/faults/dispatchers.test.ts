import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { faultControls, type FaultControl } from '../mutations/fault-controls.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { until } from './support/until.ts';

/** Calls take a while, so that a process is certainly stopped in the middle of some. */
const slow = { slow: { latencyMs: 300 } };
const jobs = 600;
/** Its last beat is 10 s old, the sweep has looked and its place in the group is another's; then 300 calls of 1 s, in turns. */
const takenOverWithinMs = 30_000;

/** One that has just joined the group has nothing that could be taken over. */
const allHoldJobs = (trial: CallbackTrial) =>
  until('each dispatcher has jobs in its hands', async () => {
    return (await trial.database.count('select distinct owner from fires')) === trial.names('dispatcher').length;
  });

describe('row 35: a dispatcher that stops between claim, call and end', () => {
  let trial: CallbackTrial;
  beforeEach(async () => {
    trial = await startCallbackTrial();
    await trial.receiver.behave(slow);
    await trial.schedule({ count: jobs, path: 'slow', dueInMs: 500 });
    await trial.awaitCalls(50);
  });
  afterEach(() => trial.end());

  /** A job that was in the middle of something may be called twice, and no other. */
  const openNow = () => trial.database.count('select 1 from fires');

  const endedNow = () => trial.database.count('select 1 from ended_jobs');

  async function verdictOn(scenario: string, doubled: number): Promise<string[]> {
    await trial.awaitEnded();
    return await trial.judgeCallbacks({ rows: '35', scenario, allow: { doubled } });
  }

  it('is killed between claim and call, and in calls: its jobs are called again under their ids, and end once', async () => {
    await allHoldJobs(trial);
    const open = await openNow();
    await trial.kill('dispatcher-1');
    await trial.restart('dispatcher-1');

    expect(await verdictOn('dispatcher killed in calls', open)).toEqual([]);
  });

  it('is killed between call and end: what was answered and not written is called again, and ends once', async () => {
    const lock = await trial.database.hold('lock table ended_jobs in exclusive mode');
    await lock.awaitWaiting('fires', 2);
    const open = await openNow();
    // No claim and no end can be written any more: what is claimed gets its answer, and keeps it in memory.
    await until('all calls are answered', () => trial.receiver.calls().every(({ endedAtMs }) => endedAtMs !== null));
    expect(trial.receiver.calls().length).toBeGreaterThan(await endedNow());
    await trial.kill('dispatcher-1');
    await lock.release();
    await trial.restart('dispatcher-1');

    expect(await verdictOn('dispatcher killed between call and end', open)).toEqual([]);
  });

  it('is frozen past its lease: others take over what it holds, and when it awakes it calls and writes nothing of that', async () => {
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

  it('is replaced in order, one after the other: no job waits for a lease, none is called twice', async () => {
    // One that still starts is not asked to stop yet: it would end by the signal.
    await allHoldJobs(trial);
    for (const name of trial.names('dispatcher')) {
      expect(await trial.stop(name)).toBe(0);
      await trial.restart(name);
    }

    expect(await verdictOn('dispatchers replaced', 0)).toEqual([]);
    expect(await trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`)).toBe(0);
  });
});

describe('row 60: a dispatcher that ends at default settings', () => {
  let trial: CallbackTrial;
  async function begin(without?: FaultControl): Promise<void> {
    const usual = { SCHEDULER_LEASE_MS: '10000', DISPATCHER_LEASE_MS: '90000' };
    trial = await startCallbackTrial({ engine: usual, ...(without && { without }) });
    await trial.receiver.behave({ slow: { latencyMs: 1000 } });
  }
  beforeEach(() => begin());
  afterEach(() => trial.end());

  const takenOver = () => trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`);

  it('leaves nothing waiting for a lease: all that it had in its hands is called within 15 s', async () => {
    await trial.schedule({ count: jobs, path: 'slow', dueInMs: 500 });
    await allHoldJobs(trial);
    const open = await trial.database.count('select 1 from fires');
    await trial.kill('dispatcher-1');
    await trial.awaitEnded(takenOverWithinMs);

    expect(await takenOver()).toBeGreaterThan(0);
    const verdict = { rows: '60', scenario: 'dispatcher killed at default settings', allow: { doubled: open } };
    expect(await trial.judgeCallbacks(verdict)).toEqual([]);
  });

  it('is missed only when its leases end: what it had in its hands waits for them (control)', async () => {
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

  it('is replaced while its calls take 6 s: what ends within the stop’s deadline is called once', async () => {
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

  it('is replaced with a deadline that is shorter than its calls: they are called again (control)', async () => {
    await trial.stop('dispatcher-1');
    await trial.muster.restart('dispatcher-1', { STOP_DEADLINE_MS: '1000' });
    await trial.receiver.behave({ slow: { latencyMs: 6000 } });
    const jobs = await trial.schedule({ count: 300, path: 'slow', spreadMs: 10_000 });
    await allHoldJobs(trial);
    const open = await trial.database.count('select 1 from fires');
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
