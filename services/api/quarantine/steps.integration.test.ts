import { beforeEach, describe, expect, it } from 'vitest';
import { quarantinedStep, quarantinedStepDetail } from '../../../shared/contracts/quarantine/steps.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { authorized } from '../../../test/support/api-deps.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { claimOne, leaseMs, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { failureCode, quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { problem } from '../frame/problems.contract.ts';
import { createActionTypeStore } from '../action-types/postgres/action-type-store.ts';

const on = apiOnPostgres();

let stores: ReturnType<typeof createPostgresExecutionStores>;
let runId: string;
let feedId: string;
let id: string;

beforeEach(async () => {
  stores = createPostgresExecutionStores(on);
  await quarantineOne('award-reward');
});

/** Creates a run of one step whose only batch, with u1 and u2, is quarantined because it crashed its workers. */
async function quarantineOne(action: string): Promise<void> {
  const ledger = stores.ledgerOf('a');
  ({ runId, feedId } = await startFedRun(stores, [['u1', 'u2']], { chain: [{ action, params: {} }] }));
  const step = { feedId, batchNo: 1, step: 1 };
  for (let lapses = 0; lapses <= quarantinedAfterLapses; lapses++) {
    const { epoch } = await claimOne(ledger, step);
    if (lapses > 0) await ledger.flush({ results: [], claims: [], begins: [{ ...step, epoch }] });
    await stores.passTime(leaseMs + 1);
  }
  await stores.endings.endQuarantined([step]);
  id = publicId('quarantinedStep', (await on.deps.quarantinedSteps.list({}, 1, null)).items[0]?.quarantineId ?? '');
}

const get = (path = '') =>
  on.api.server.inject({ method: 'GET', url: `/v1/quarantine/steps${path}`, headers: authorized });
const post = (verb: string) =>
  on.api.server.inject({ method: 'POST', url: `/v1/quarantine/steps/${id}/${verb}`, headers: authorized });
const codeOf = (response: { json: () => unknown }) => problem.parse(response.json()).code;

describe('quarantined steps over HTTP', () => {
  it('are listed, each with the information whether it can be replayed', async () => {
    const { items } = (await get('?state=kept')).json<{ items: object[] }>();
    expect(items.map((item) => quarantinedStep.parse(item))).toMatchObject([
      {
        id,
        runId: publicId('run', runId),
        runState: 'running',
        country: 'SG',
        batchNo: 1,
        step: 1,
        action: 'award-reward',
        state: 'kept',
        users: 2,
        lapses: quarantinedAfterLapses,
        worker: 'a',
        replayable: true,
        whyNot: null,
      },
    ]);
    expect((await get(`?runId=${publicId('run', runId)}`)).json()).toMatchObject({ items: [{ id }] });
    expect((await get('?state=lost')).statusCode).toBe(422);
  });

  it('are listed and counted by action type and country', async () => {
    const group = { kind: 'step', reason: 'its calls crashed their workers', action: 'award-reward', country: 'SG' };
    const { items } = (await get('/groups?state=kept')).json<{ items: object[] }>();
    expect(items).toMatchObject([{ ...group, items: 1, users: 2, runs: 1 }]);
    for (const query of ['action=award-reward', 'country=SG', `runId=${publicId('run', runId)}`]) {
      expect((await get(`?${query}`)).json()).toMatchObject({ items: [{ id }] });
      expect((await get(`/groups?${query}`)).json()).toMatchObject({ items: [group] });
    }
    for (const query of ['action=send-message', 'country=ID', 'state=discarded']) {
      expect((await get(`?${query}`)).json()).toMatchObject({ items: [] });
      expect((await get(`/groups?${query}`)).json()).toMatchObject({ items: [] });
    }
  });

  it('are returned with their key, their calls and their users', async () => {
    const detail = quarantinedStepDetail.parse((await get(`/${id}`)).json());
    expect(detail).toMatchObject({ idempotencyKey: requestKey(feedId, 1, 1), sample: ['u1', 'u2'] });
    expect(detail.calls).toHaveLength(quarantinedAfterLapses + 1);
    expect(detail.calls.every(({ result }) => result === 'lost')).toBe(true);
    // The worker of the first call was not recorded.
    expect(detail.calls.map(({ worker }) => worker)).toEqual([null, ...detail.calls.slice(1).map(() => 'a')]);
    expect((await get('/qst_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
  });

  it('can be replayed once, and the audit log records the caller and the step', async () => {
    const response = await post('replay');
    expect([response.statusCode, response.json()]).toEqual([200, { kind: 'step', id, state: 'replayed' }]);
    expect((await get(`/${id}`)).json()).toMatchObject({ state: 'replayed', replayable: false });
    expect((await post('replay')).statusCode).toBe(200);
    expect(await on.rowsOf('user_failures')).toEqual([]);
    expect((await on.deps.audit.list({}, 10, null)).items.at(-1)).toMatchObject({
      subject: id,
      detail: { country: 'SG', batchNo: 1, step: 1, action: 'award-reward', users: 2 },
    });
    const discarded = await post('discard');
    expect([discarded.statusCode, codeOf(discarded)]).toEqual([409, 'state-forbids']);
  });

  it('can be discarded without a change of their outcomes', async () => {
    expect((await post('discard')).json()).toMatchObject({ state: 'discarded' });
    expect((await post('discard')).statusCode).toBe(200);
    const replayed = await post('replay');
    expect([replayed.statusCode, codeOf(replayed)]).toEqual([409, 'not-replayable']);
    expect(await on.rowsOf('user_failures')).toHaveLength(2);
  });

  it('cannot be replayed if their endpoint may no longer know the idempotency key', async () => {
    const { keyLifeSeconds } = on.deps.catalogue.registered()['award-reward'] ?? { keyLifeSeconds: 0 };
    const createdMs = Date.now();
    await on.passTime(createdMs - on.deps.clock.nowMs() + keyLifeSeconds * 1000 + 1);
    const response = await post('replay');
    expect([response.statusCode, codeOf(response)]).toEqual([409, 'not-replayable']);
    expect((await get(`/${id}`)).json<{ whyNot: string }>().whyNot).toContain('keeps keys for');
  });

  it.each(['C', 'D'] as const)('cannot be replayed if the action type is of class %s', async (actionClass) => {
    const type = await createActionTypeStore(on.deps).get('send-message');
    if (!type) throw new Error('the type is not there');
    await createActionTypeStore(on.deps).change(
      'send-message',
      { config: { ...type.config, class: actionClass } },
      null,
    );
    await quarantineOne('send-message');
    const response = await post('replay');
    expect([response.statusCode, codeOf(response)]).toEqual([409, 'not-replayable']);
    const outcomes = (await on.rowsOf('user_failures')).map(({ outcome }) => outcome);
    expect(outcomes).toEqual(Array(4).fill(failureCode.unknown));
  });

  it('cannot be replayed in an ended run, whose users can be settled instead', async () => {
    await stores.runs.finish(runId, 'completed_with_failures', null);
    const response = await post('replay');
    expect(problem.parse(response.json()).detail).toContain('settle its unknown users');
  });
});
