import { pino } from 'pino';
import { v7 as uuidv7 } from 'uuid';
import { describe, expect, it } from 'vitest';
import { claimOne, doneOf, record, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { failureCode } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { answerOf, createScriptedEndpoint } from '../../../test/support/worker-fixture.ts';
import { actionTypeConfig } from '../../../shared/contracts/endpoints/action-type-config.ts';
import { createStatusSettler } from './status-settler.ts';

const on = apiOnPostgres();

const statusUrl = 'http://endpoint/status';

/** Creates a run that has ended with this number of unknown users, and a requested settlement by status requests. */
async function setUp(unknown: number) {
  const stores = createPostgresExecutionStores(on);
  const users = Array.from({ length: unknown }, (_, index) => `u${String(index).padStart(3, '0')}`);
  const batches = Array.from({ length: Math.ceil(unknown / 100) }, (_, index) =>
    users.slice(index * 100, index * 100 + 100),
  );
  const chain = [{ action: 'award-reward', params: {} }];
  const { runId, steps } = await startFedRun(stores, batches, { chain });
  const ledger = stores.ledgerOf('a');
  for (const [index, step] of steps.entries()) {
    const failures = (batches[index] ?? []).map((user) => {
      return { user, outcome: 'unknown', reason: 'muster.ambiguous-answer', detail: null } as const;
    });
    await record(ledger, doneOf(await claimOne(ledger, step), { failures }));
  }
  await stores.runs.finish(runId, 'completed_with_failures', null);
  const { settlements, settlementRequests } = stores;
  const settlementId = uuidv7();
  await settlementRequests.begin({ settlementId, runId, method: 'status', apiKey: null, step: null, country: null });
  const endpoint = createScriptedEndpoint();
  const settlerOf = (owner: string) =>
    createStatusSettler({
      settlements,
      endpoint,
      actionTypes: () => ({
        'award-reward': actionTypeConfig.parse({
          url: 'http://endpoint',
          class: 'C',
          statusUrl,
          appliesLateSeconds: 60,
        }),
      }),
      owner,
      random: () => 0.5,
      logger: pino({ level: 'silent' }),
    });
  const { turn } = settlerOf('worker');
  const { turn: turnOfOther } = settlerOf('another worker');
  const poll = () => settlementRequests.get(runId, settlementId);
  const reasonsOf = async (outcome: number) =>
    (await on.rowsOf('user_failures')).filter((row) => row['outcome'] === outcome).map((row) => row['reason']);
  const unknownUsers = async () => (await reasonsOf(failureCode.unknown)).length;
  return { endpoint, turn, turnOfOther, poll, unknownUsers, reasonsOf };
}

describe('a settlement by status', () => {
  it('waits until the endpoint can no longer apply the lost call', async () => {
    const { endpoint, turn, poll } = await setUp(2);
    await turn();
    await on.passTime(59_000);
    await turn();
    expect([endpoint.requested.length, (await poll())?.state]).toEqual([0, 'running']);
    await on.passTime(2000);
    await turn();
    expect([endpoint.requested.length, (await poll())?.state]).toEqual([1, 'done']);
  });

  it('settles the users that the status answers report, page by page, and leaves the others unknown', async () => {
    const { endpoint, turn, poll, unknownUsers, reasonsOf } = await setUp(250);
    await on.passTime(61_000);
    const statuses = ['succeeded', 'failed', 'not-found', 'in-progress'];
    endpoint.status = ({ users }) =>
      answerOf(users.map((id) => ({ id, status: statuses[Number(id.slice(1)) % 5], code: 'no-stock' })));
    await turn();
    expect(endpoint.requested.map(({ users }) => users.length)).toEqual([100, 100, 50]);
    expect(await poll()).toMatchObject({
      state: 'done',
      counts: { succeeded: 50, failed: 100, leftUnknown: 100, rejected: 0 },
    });
    expect(await unknownUsers()).toBe(100);
    const reasons = new Set(await reasonsOf(failureCode.failed));
    expect([...reasons].sort()).toEqual(['muster.never-applied', 'no-stock']);
  });

  it('is continued by another worker two minutes after its worker has disappeared', async () => {
    const { endpoint, turn, turnOfOther, poll } = await setUp(2);
    await on.passTime(61_000);
    const { status } = endpoint;
    endpoint.status = () => new Promise(() => undefined);
    void turn();
    await expect.poll(() => endpoint.requested.length).toBe(1);
    endpoint.status = status;
    await on.passTime(119_000);
    await turnOfOther();
    expect([endpoint.requested.length, (await poll())?.state]).toEqual([1, 'running']);
    await on.passTime(2000);
    await turnOfOther();
    expect([endpoint.requested.length, (await poll())?.state]).toEqual([2, 'done']);
  });

  it('is retried with its cause while the status URL returns errors, and fails after six requests', async () => {
    const { endpoint, turn, poll, unknownUsers } = await setUp(2);
    await on.passTime(61_000);
    endpoint.status = () => ({ kind: 'answered', status: 503, retryAfterMs: null, body: Buffer.from('') });
    await turn();
    expect(await poll()).toMatchObject({ state: 'running', cause: 'status: 503 Service Unavailable' });
    for (let tries = 0; tries < 10; tries++) {
      await on.passTime(120_000);
      await turn();
    }
    expect(await poll()).toMatchObject({ state: 'failed', cause: 'status: 503 Service Unavailable' });
    expect(endpoint.requested).toHaveLength(6);
    expect(await unknownUsers()).toBe(2);
  });
});
