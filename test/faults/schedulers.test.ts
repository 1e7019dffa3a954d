import { afterEach, describe, expect, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { ownerOf } from './support/callback-owners.ts';
import { latenessOf } from './support/measure-callbacks.ts';
import { lasting, until } from './support/until.ts';

/** Lease of the trial's schedulers. */
const leaseMs = 3000;
/** Offers without a credit: two dispatchers accept 200 jobs each of a client that is new to them. */
const offeredUnseen = 300;
const burst = { count: 3000, dueInMs: 1000, spreadMs: 15_000 };

describe('rows 34 and 35: schedulers in a burst of jobs', () => {
  let trial: CallbackTrial;
  afterEach(() => trial.end());

  async function leader(): Promise<string> {
    return await until('somebody leads', async () => {
      const [row] = await trial.database.rows<{ owner: string }>(
        `select owner from leases where name = 'job-partitions' and expires_at > now()`,
      );
      return trial.names('scheduler').find((name) => ownerOf(trial, name) === row?.owner);
    });
  }

  const ownersOfPartitions = () =>
    trial.database.count('select distinct owner from job_partitions where owner is not null and expires_at > now()');

  /** Returns the seconds from the fault until no job is later than a second any more. */
  function lagBackWithin(brokenMs: number): number {
    const late = latenessOf(trial.accepted, trial.receiver.calls());
    const lastLate = late.filter(({ lateMs, dueAtMs }) => lateMs > 1000 && dueAtMs + lateMs > brokenMs);
    return Math.max(0, ...lastLate.map(({ dueAtMs }) => dueAtMs - brokenMs)) / 1000;
  }

  it('delay no job by a second after the leader is killed, once leader and partitions have new owners', async () => {
    trial = await startCallbackTrial();
    await until('both have partitions', async () => (await ownersOfPartitions()) === 2);
    await trial.schedule(burst);
    await trial.awaitCalls(300);
    const killedMs = Date.now();
    await trial.kill(await leader());
    await trial.awaitEnded();

    const backWithin = lagBackWithin(killedMs);
    const measured = { 'lag under 1 s after s': backWithin };
    expect(await trial.judgeCallbacks({ rows: '34', scenario: 'leader killed in a burst', measured })).toEqual([]);
    // The lease of the leader, the leases of the partitions, and two heartbeats of a second each.
    expect(backWithin).toBeLessThan((leaseMs + 2500) / 1000);
  });

  it('take over the partitions of a frozen scheduler, whose late offers are claimed once', async () => {
    trial = await startCallbackTrial();
    await until('both have partitions', async () => (await ownersOfPartitions()) === 2);
    await trial.schedule(burst);
    await trial.awaitCalls(300);
    const frozenMs = Date.now();
    trial.freeze('scheduler-1');
    await until('another owns all', async () => (await ownersOfPartitions()) === 1);
    await lasting(leaseMs);
    trial.thaw('scheduler-1');
    await trial.awaitEnded();

    const measured = { 'lag under 1 s after s': lagBackWithin(frozenMs) };
    expect(await trial.judgeCallbacks({ rows: '34', scenario: 'owner frozen past its lease', measured })).toEqual([]);
  });

  it('offer jobs again after all schedulers were killed, and each job is called once', async () => {
    trial = await startCallbackTrial();
    await trial.freezeTakers();
    await trial.schedule({ count: offeredUnseen });
    await trial.awaitOffers(offeredUnseen);
    await trial.kill(...trial.names('scheduler'));
    await trial.restart(...trial.names('scheduler'));
    for (const name of trial.names('dispatcher')) trial.thaw(name);
    await trial.awaitEnded();

    expect(await trial.judgeCallbacks({ rows: '35', scenario: 'schedulers killed after an offer' })).toEqual([]);
  });

  it('delay each job less than a crash would if they are replaced one after another', async () => {
    trial = await startCallbackTrial();
    await until('both have partitions', async () => (await ownersOfPartitions()) === 2);
    await trial.schedule(burst);
    await trial.awaitCalls(300);
    for (const name of trial.names('scheduler')) {
      expect(await trial.stop(name)).toBe(0);
      await trial.restart(name);
      await until('both have partitions again', async () => (await ownersOfPartitions()) === 2);
    }
    await trial.awaitEnded();

    const latestMs = Math.max(...latenessOf(trial.accepted, trial.receiver.calls()).map(({ lateMs }) => lateMs));
    const measured = { 'latest job ms': latestMs };
    expect(await trial.judgeCallbacks({ rows: '34', scenario: 'schedulers replaced', measured })).toEqual([]);
    expect(latestMs).toBeLessThan(leaseMs + 2000);
  });
});
