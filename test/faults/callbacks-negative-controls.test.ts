import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { referenceTo, storedJobs } from './support/stored-jobs.ts';
import { lasting, until } from './support/until.ts';

/**
 * Works as in negative-controls.test.ts: a protection is overridden from outside, or a record falsified, and the
 * checker has to report it.
 */
describe('the checker of callbacks detects in real processes', () => {
  let trial: CallbackTrial;
  beforeEach(async () => {
    trial = await startCallbackTrial();
    await trial.receiver.behave({ slow: { latencyMs: 1500 } });
  });
  afterEach(() => trial.end());

  const judge = (scenario: string) => trial.judgeCallbacks({ rows: 'control', scenario: `${scenario}, callbacks` });

  it('a call without a claim, made by a stranger (S4)', async () => {
    const [id = ''] = await trial.schedule({ dueInMs: 60_000 });
    await fetch(trial.url('well/stray'), { method: 'POST', headers: { 'webhook-id': id }, body: '{}' });
    await trial.schedule({ count: 20 });
    await until('the others have ended', async () => (await trial.openJobs()) === 1);
    const found = await judge('stray call');
    expect(found).toContainEqual(expect.stringMatching(/^S2: .* was called \d+ ms before its time/));
    expect(found).toContainEqual(expect.stringMatching(/^S3: .* not to be believed/));
    expect(found).toContainEqual(expect.stringMatching(/^S4: call 1 of .* under 0 claims/));
  });

  it('leases that expire at once, so that two dispatchers call one job (S4)', async () => {
    // A call takes long enough for its job to be offered again, and not so long that it blocks the receiver.
    await trial.receiver.behave({ slow: { latencyMs: 400 } });
    await trial.schedule({ count: 300, path: 'slow', spreadMs: 30_000 });
    await trial.awaitCalls(10);
    const over = trial.injections.begin('leases ended', 'all fires');
    const sabotage = repeatedly(100, async () => {
      await trial.database.rows(`update job_claims set lease_until = now() - interval '1 second'`);
      const references = await jobsBeingCalled(trial);
      if (references.length === 0) return;
      for (const partition of [0, 1, 2, 3]) await trial.topics.produce(callsOf(trial), partition, references);
    });
    try {
      await until('a job is taken over that is being called', async () => {
        return (await trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`)) > 0;
      });
    } finally {
      await sabotage.stop();
      over();
    }
    await trial.awaitEnded();
    expect(await judge('leases ended')).toContainEqual(expect.stringMatching(/^S4: .* before the lease of another/));
  });

  it('a result without an epoch, so that a frozen dispatcher ends a job during a call of another dispatcher (S4)', async () => {
    await trial.database.rows(`
      create function same_epoch() returns trigger language plpgsql
        as $$ begin new.epoch := old.epoch; return new; end $$;
      create trigger same_epoch before update on job_claims for each row execute function same_epoch()`);
    const over = trial.injections.begin('epochs stand still', 'job_claims');
    // Jobs are offered one after the other, because the distribution over the two dispatchers is not known.
    await trial.schedule({ count: 100, path: 'slow', spreadMs: 3000 });
    await until('both dispatchers call', async () => {
      return (await trial.database.count('select distinct owner from job_claims')) === 2;
    });
    trial.freeze('dispatcher-1');
    await until('another has taken over', async () => {
      return (await trial.database.count(`select 1 from witnessed_fires where kind = 'taken-over'`)) > 0;
    });
    trial.thaw('dispatcher-1');
    await trial.awaitEnded();
    over();
    expect(await judge('epochs stand still')).toContainEqual(expect.stringMatching(/^S4: .* again under epoch 1/));
  });

  it('lost offers without a scheduler, as jobs without an end (S1), until a scheduler runs', async () => {
    await trial.freezeTakers();
    await trial.schedule({ count: 200 });
    await trial.awaitOffers(200);
    const topic = `${trial.muster.topicPrefix}.local.calls`;
    for (const name of trial.names('scheduler')) await trial.stop(name);
    trial.injections.happened('topic deleted', topic);
    await trial.topics.delete(topic);
    await trial.kill(...trial.names('dispatcher'));
    await trial.restart(...trial.names('dispatcher'));
    await lasting(8000);
    expect(await judge('not swept')).toContainEqual('S1: 200 jobs have not ended, 0 allowed');

    await trial.restart(...trial.names('scheduler'));
    await trial.awaitEnded();
    expect(await judge('swept again')).toEqual([]);
  });

  it('a deleted outcome, and a job counted twice (S1)', async () => {
    await trial.schedule({ count: 50 });
    await trial.awaitEnded();
    expect(await judge('before it is falsified')).toEqual([]);
    await trial.database.rows('delete from ended_jobs where id in (select id from ended_jobs limit 1)');
    await trial.database.rows('update client_totals set accepted = accepted + 1 where accepted > 0');
    const found = await judge('an outcome removed');
    expect(found).toContainEqual(expect.stringMatching(/^S1: .* was accepted and is nowhere/));
    expect(found).toContainEqual('S1: 51 accepted, 50 ended or stored by the ledger');
    expect(found).toContainEqual('S1: the ledger says 50 called, there are 49');
  });
});

const callsOf = ({ muster }: CallbackTrial) => `${muster.topicPrefix}.local.calls`;

/** References to jobs that dispatchers have claimed, as a scheduler writes them. */
async function jobsBeingCalled(trial: CallbackTrial): Promise<Buffer[]> {
  const claimed = await trial.database.rows<{ id: string }>('select id::text from job_claims');
  const ids = new Set(claimed.map(({ id }) => id));
  const jobs = (await storedJobs(trial)).filter(({ id }) => ids.has(id));
  return jobs.map((job) => Buffer.from(JSON.stringify(referenceTo(job))));
}

/** Runs an action again and again, with a pause of so many milliseconds in between. */
function repeatedly(everyMs: number, action: () => Promise<void>): { stop: () => Promise<void> } {
  const stopped = new AbortController();
  const { signal } = stopped;
  const running = (async () => {
    while (!signal.aborted) {
      await action();
      await wait(everyMs, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    stop: async () => {
      stopped.abort();
      await running;
    },
  };
}
