import { beforeEach, describe, expect, it } from 'vitest';
import { auditRecord } from '../../../../shared/contracts/access/audit.ts';
import { retryAnswer, type RetryAnswer } from '../../../../shared/contracts/runs/retries.ts';
import { runReport } from '../../../../shared/contracts/runs/runs.ts';
import { publicId, uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../../test/support/api-on-postgres.ts';
import {
  claimOne,
  doneOf,
  failed,
  leaseMs,
  record,
  startFedRun,
  type ExecutionSubject,
} from '../../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../../test/support/postgres-execution-stores.ts';
import { pageShape } from '../../frame/pages.contract.ts';
import { problem } from '../../frame/problems.contract.ts';

const on = apiOnPostgres();

let subject: ExecutionSubject;
let runId: string;

beforeEach(async () => {
  subject = createPostgresExecutionStores(on);
  const fed = await startFedRun(subject, [['u1', 'u2', 'u3', 'u4']]);
  ({ runId } = fed);
  const failures = [failed('u1'), failed('u2'), failed('u3', { reason: 'blocked' })];
  const ledger = subject.ledgerOf('a');
  await record(ledger, doneOf(await claimOne(ledger, { feedId: fed.feedId, batchNo: 1, step: 1 }), { failures }));
  await record(ledger, doneOf(await claimOne(ledger, { feedId: fed.feedId, batchNo: 1, step: 2 }), { restUsers: 1 }));
});

const end = (endedRunId = runId) => subject.runs.finish(endedRunId, 'completed_with_failures', null);

function post(body?: object, headers: Record<string, string> = {}, endedRunId = runId) {
  const url = `/v1/runs/${publicId('run', endedRunId)}/retry-failed`;
  const json = body && { payload: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return on.api.server.inject({
    method: 'POST',
    url,
    ...json,
    headers: { ...authorized, ...json?.headers, ...headers },
  });
}

async function retry(body?: object, headers: Record<string, string> = {}): Promise<RetryAnswer> {
  return retryAnswer.parse((await post(body, headers)).json());
}

async function refusal(body?: object) {
  const answer = await post(body);
  return problem.parse(answer.json());
}

describe('a preview of a retry', () => {
  it('has no entry in the audit log, while the retry has one with its users and its run', async () => {
    const audited = async () => {
      const answer = await on.api.server.inject({ method: 'GET', url: '/v1/audit', headers: authorized });
      return pageShape(auditRecord).parse(answer.json()).items;
    };
    expect((await post({ preview: true })).statusCode).toBe(409);
    await end();
    await retry({ preview: true });
    expect(await audited()).toEqual([]);
    const { runId: created } = await retry();
    expect(await audited()).toMatchObject([{ status: 201, detail: { users: 3, created } }]);
  });

  it('counts the failed users by step, country and reason and creates nothing', async () => {
    await end();
    const answer = await post({ preview: true });
    expect(answer.statusCode).toBe(200);
    expect(answer.json()).toEqual({
      preview: true,
      parentRunId: publicId('run', runId),
      runId: null,
      users: 3,
      groups: [
        { step: 1, action: 'award-reward', country: 'SG', reason: 'out-of-stock', users: 2 },
        { step: 1, action: 'award-reward', country: 'SG', reason: 'blocked', users: 1 },
      ],
      links: { self: null },
    });
    expect(await subject.runs.toPrepare(10, [])).toEqual([]);
  });

  it.each([
    [{ reasons: ['blocked'] }, 1],
    [{ actions: ['award-reward'] }, 3],
    [{ actions: ['send-message'] }, 0],
    [{ steps: [1], reasons: ['out-of-stock'] }, 2],
    [{ steps: [2], actions: ['award-reward'] }, 0],
    [{ countries: ['SG'] }, 3],
  ])('applies the filter %j', async (filter, users) => {
    await end();
    expect(await retry({ ...filter, preview: true })).toMatchObject({ users });
  });
});

describe('failed users', () => {
  it('are retried in a child run', async () => {
    await end();
    const answer = await post();
    expect(answer.statusCode).toBe(201);
    const created = retryAnswer.parse(answer.json());
    expect(created).toMatchObject({ preview: false, users: 3, links: { self: `/v1/runs/${created.runId ?? ''}` } });
    expect(answer.headers.location).toBe(created.links.self);
    const run = await on.api.server.inject({ method: 'GET', url: created.links.self ?? '', headers: authorized });
    expect(run.json()).toMatchObject({ state: 'preparing', parentRunId: publicId('run', runId) });
  });

  it('are retried once even if the request is repeated', async () => {
    await end();
    const key = { 'idempotency-key': 'again' };
    const [first, second] = [await retry({}, key), await retry({}, key)];
    expect(second).toEqual(first);
    expect(await subject.runs.toPrepare(10, [])).toHaveLength(1);
  });

  it('are retried until the deadline in the request', async () => {
    await end();
    await retry({ deadlineSeconds: 120 });
    expect(await subject.runs.toPrepare(10, [])).toMatchObject([{ deadlineInMs: 120_000 }]);
  });

  it('are counted in the report of the run before and after the retry', async () => {
    await end();
    const { runId: child } = await retry();
    const childId = uuidOf('run', child ?? '') ?? '';
    await subject.runs.beginRetry(childId);
    const [feed] = await subject.feeds.claim('t', leaseMs, 10, 'all');
    const { feedId = '', token = 0 } = feed ?? {};
    const batches = [{ batchNo: 1, users: ['u1', 'u2', 'u3'] }];
    const page = { batches, invalidUsers: [], cursor: 'u3', complete: true, staysStalled: false };
    await subject.feeds.writePages({ feedId, token, ...page });
    const ledger = subject.ledgerOf('a');
    const failures = [failed('u2')];
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures }));
    await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 2 }), { restUsers: 2 }));
    await end(childId);

    const report = await on.api.server.inject({
      method: 'GET',
      url: `/v1/runs/${publicId('run', runId)}/report`,
      headers: authorized,
    });
    expect(runReport.parse(report.json())).toMatchObject({
      steps: [{ step: 1, failed: 3 }, { step: 2 }],
      retries: {
        retried: 3,
        recovered: 2,
        failedBefore: 3,
        failedAfter: 1,
        runs: [{ runId: child, retried: 3, recovered: 2, failedAgain: 1 }],
      },
    });
    expect(await retry({ preview: true })).toMatchObject({ users: 1 });
  });
});

describe('a retry is refused', () => {
  it('while the run is active', async () => {
    expect(await refusal()).toMatchObject({ status: 409, code: 'run-not-ended' });
  });

  it('while another run retries the same users, and the problem contains the id of that run', async () => {
    await end();
    const { runId: child } = await retry();
    const refused = await refusal();
    expect(refused).toMatchObject({ status: 409, code: 'retry-running' });
    expect(refused.detail).toContain(child);
  });

  it('if no user failed for the given reason', async () => {
    await end();
    expect(await refusal({ reasons: ['no-such-reason'] })).toMatchObject({ status: 409, code: 'nothing-to-retry' });
  });

  it('for steps, actions and countries that the run does not have, with one problem for each', async () => {
    await end();
    const wanted = { steps: [1, 3], actions: ['award-points'], countries: ['SG', 'VN'], colour: 'red' };
    const { status, errors } = await refusal(wanted);
    expect(status).toBe(422);
    expect(errors).toMatchObject([{ pointer: '/colour', code: 'unknown-field' }]);
    const { errors: inRun } = await refusal({ ...wanted, colour: undefined });
    expect(inRun.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/steps/1', 'not-in-run'],
      ['/actions/0', 'not-in-run'],
      ['/countries/1', 'not-in-run'],
    ]);
  });

  it('for an unknown run', async () => {
    expect((await post({}, {}, '01938f1e-7c00-7000-8000-000000000001')).statusCode).toBe(404);
  });
});
