import { beforeEach, describe, expect, it } from 'vitest';
import { createDueJobs } from '../../services/scheduler/postgres/due-jobs.ts';
import { pageShape } from '../../services/api/frame/pages.contract.ts';
import { retryAnswer } from '../../shared/contracts/runs/retries.ts';
import { runEvent } from '../../shared/contracts/runs/run-history.ts';
import { trial } from '../../shared/contracts/runs/trials.ts';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { createLeases } from '../../shared/postgres/registry/leases.ts';
import { someCampaign } from '../support/api-deps.ts';
import { apiOnPostgres } from '../support/api-on-postgres.ts';
import { claimOne, doneOf, failed, record, startFedRun } from '../support/conformance/execution-subject.ts';
import { campaignDefinitionOf } from '../support/conformance/run-rows.ts';
import { createPostgresExecutionStores } from '../support/postgres-execution-stores.ts';

const on = apiOnPostgres();
const { ask } = on;

let by: { keyId: string; keyName: string };
beforeEach(() => {
  by = { keyId: publicId('apiKey', on.key), keyName: 'a test' };
});

/** Returns the first entry in the history of a run. */
async function createdEvent(runId: string) {
  const [first] = pageShape(runEvent).parse((await ask('GET', `/v1/runs/${runId}/events`)).json()).items;
  return first && { kind: first.kind, detail: first.detail };
}

async function campaign(): Promise<string> {
  const made = await ask('POST', '/v1/campaigns', someCampaign);
  expect(made.statusCode, made.body).toBe(201);
  return made.json<{ id: string }>().id;
}

/**
 * Fires due schedules like a scheduler.
 * @returns the ids of the runs
 */
async function fire(): Promise<string[]> {
  const lease = await createLeases({ pool: on.pool }).acquire('scheduler', 'a', 60_000);
  const fired = await createDueJobs({ pool: on.pool }).fire(lease ?? expect.fail('the lease is taken'), 100);
  return fired.runs.map(({ runId }) => publicId('run', runId));
}

describe('the created event in the history of a run', () => {
  it('names the user who started the campaign', async () => {
    const started = await ask('POST', `/v1/campaigns/${await campaign()}/start`);
    expect(started.statusCode, started.body).toBe(200);
    const [runId = ''] = await fire();
    expect(await createdEvent(runId)).toEqual({ kind: 'created', detail: { by } });
  });

  it('names no user if a schedule started the run', async () => {
    const { campaignId } = await on.deps.campaigns.create(campaignDefinitionOf());
    await on.pool.query(
      `insert into run_starts (partition_id, due_at, id, campaign, revision) values (1, now(), uuidv7(), $1, 1)`,
      [campaignId],
    );
    const [runId = ''] = await fire();
    expect(await createdEvent(runId)).toEqual({ kind: 'created', detail: {} });
  });

  it('names the user who retried failed users', async () => {
    const subject = createPostgresExecutionStores(on);
    const { runId, feedId } = await startFedRun(subject, [['u1', 'u2']]);
    const ledger = subject.ledgerOf('a');
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures: [failed('u1')] }));
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 2 }), { restUsers: 1 }));
    await subject.runs.finish(runId, 'completed_with_failures', null);
    const answer = await ask('POST', `/v1/runs/${publicId('run', runId)}/retry-failed`);
    const retry = retryAnswer.parse(answer.json());
    expect(await createdEvent(retry.runId ?? '')).toEqual({ kind: 'created', detail: { by } });
  });

  it('names the user of a dry run and of a test send', async () => {
    const id = await campaign();
    for (const body of [{ kind: 'dry-run' }, { kind: 'test', users: ['u1'], country: 'SG' }]) {
      const { run } = trial.parse((await ask('POST', `/v1/campaigns/${id}/trials`, body)).json());
      expect(await createdEvent(run?.runId ?? '')).toEqual({ kind: 'created', detail: { by } });
    }
  });
});
