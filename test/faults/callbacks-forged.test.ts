import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { groupQuarantinedMessages } from '../../sdk/generated/sdk.gen.ts';
import { startCallbackTrial, type CallbackTrial } from './support/callback-trial.ts';
import { referenceTo, storedJobs, type StoredJob } from './support/stored-jobs.ts';
import { lasting, until } from './support/until.ts';

const somebodyElse = '01999999-0000-7000-8000-00000000000f';
const partitions = 4;

/**
 * P8 for callbacks: a reference only causes a look at the row. The row alone decides what is called, when and for whom.
 */
describe('row 49: forged references to jobs', () => {
  let trial: CallbackTrial;
  beforeEach(async () => {
    trial = await startCallbackTrial();
  });
  afterEach(() => trial.end());

  const topic = () => `${trial.muster.topicPrefix}.local.calls`;

  /** Publishes references to all stored jobs, with a changed client, due time or id. */
  async function forge(change: (job: StoredJob) => { client?: string; due?: number; id?: string }): Promise<number> {
    const jobs = await storedJobs(trial);
    const values = jobs.map((job) => {
      const { client = job.client, due = Number(job.due), id = job.id } = change(job);
      const own = { url: trial.url('forged'), method: 'DELETE', body: 'forged', headers: { 'x-forged': '1' } };
      const forged = { ...referenceTo({ ...job, client, due: String(due), id }), ...own };
      return Buffer.from(JSON.stringify(forged));
    });
    for (let partition = 0; partition < partitions; partition++) {
      const own = values.filter((_, index) => index % partitions === partition);
      if (own.length > 0) await trial.topics.produce(topic(), partition, own);
    }
    return values.length;
  }

  it('cause no early call and no call for another client or id, and every job is called once when due', async () => {
    const over = trial.injections.begin('forged references', 'all jobs');
    await trial.schedule({ count: 300, dueInMs: 8000, spreadMs: 4000 });
    let sent = 0;
    const early = await until('all jobs were forged, before their time', async () => {
      const forged = await forge(() => ({}));
      sent += forged;
      return forged === 300 && trial.receiver.calls().length;
    });
    expect(early).toBe(0);
    while ((await trial.openJobs()) > 0) {
      sent += await forge(() => ({ client: somebodyElse }));
      sent += await forge(() => ({ due: Date.now() * 1000 }));
      sent += await forge(({ id }) => ({ id: id.toUpperCase() }));
      await lasting(300);
    }
    over();
    await trial.awaitEnded();

    const measured = { 'references forged': sent };
    expect(await trial.judgeCallbacks({ rows: '49', scenario: 'forged references to jobs', measured })).toEqual([]);
    const calls = await trial.receiver.allCalls();
    expect(new Set(calls.map(({ jobId }) => jobId)).size).toBe(300);
    expect(await trial.database.count(`select 1 from ended_jobs where outcome <> 'called'`)).toBe(0);
    const { items } = (await groupQuarantinedMessages({ client: trial.client })).data;
    const reasons = items.map(({ reason }) => reason);
    expect(reasons).toContain('a job whose time has not come');
    expect(reasons).toContain('the job of another client');
    expect(reasons).toContainEqual(expect.stringContaining('has to be a uuid in lowercase'));
  });
});
