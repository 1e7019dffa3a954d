import { beforeEach, describe, expect, it } from 'vitest';
import { quarantinedStep, quarantinedStepDetail } from '../../../shared/contracts/messages/quarantined-steps.ts';
import { requestKey } from '../../../shared/domain/step/batch.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { authorized, createApiDeps } from '../../../test/support/api-deps.ts';
import { claimOne, leaseMs, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { createMemoryExecutionStores } from '../../../test/support/memory/execution-stores.ts';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import { createApi, type Api } from '../api.ts';
import { problem } from '../frame/problems.contract.ts';

let api: Api;
let deps: Awaited<ReturnType<typeof createApiDeps>>;
let stores: ReturnType<typeof createMemoryExecutionStores>;
let runId: string;
let feedId: string;
let id: string;

beforeEach(async () => {
  deps = await createApiDeps();
  stores = createMemoryExecutionStores({ database: deps.database });
  api = await createApi(deps);
  await quarantineOne('award-reward');
});

/** A run of one step whose only batch, u1 and u2, ended its workers. */
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
  id = publicId('quarantinedStep', deps.database.quarantined.at(-1)?.quarantineId ?? '');
}

const get = (path = '') =>
  api.server.inject({ method: 'GET', url: `/v1/quarantined-steps${path}`, headers: authorized });
const post = (verb: string) =>
  api.server.inject({ method: 'POST', url: `/v1/quarantined-steps/${id}/${verb}`, headers: authorized });
const codeOf = (response: { json: () => unknown }) => problem.parse(response.json()).code;

describe('quarantined steps over HTTP', () => {
  it('are listed, and say whether they may be opened again', async () => {
    const { items } = (await get('?state=kept')).json<{ items: object[] }>();
    expect(items.map((item) => quarantinedStep.parse(item))).toMatchObject([
      {
        ...{ id, runId: publicId('run', runId), runState: 'running', country: 'SG', batchNo: 1, step: 1 },
        ...{ action: 'award-reward', state: 'kept', users: 2, lapses: quarantinedAfterLapses, worker: 'a' },
        ...{ replayable: true, whyNot: null },
      },
    ]);
    expect((await get(`?runId=${publicId('run', runId)}`)).json()).toMatchObject({ items: [{ id }] });
    expect((await get('?state=lost')).statusCode).toBe(422);
  });

  it('are shown with their key, their calls and their users', async () => {
    const detail = quarantinedStepDetail.parse((await get(`/${id}`)).json());
    expect(detail).toMatchObject({ idempotencyKey: requestKey(feedId, 1, 1), sample: ['u1', 'u2'] });
    expect(detail.calls).toHaveLength(quarantinedAfterLapses + 1);
    expect(detail.calls.every(({ result }) => result === 'lost')).toBe(true);
    // Whose call the first one was is not noted.
    expect(detail.calls.map(({ worker }) => worker)).toEqual([null, ...detail.calls.slice(1).map(() => 'a')]);
    expect((await get('/qst_01h455vb4pex5vsknk084sn02q')).statusCode).toBe(404);
  });

  it('are opened again once, and the audit log says by whom and what', async () => {
    const response = await post('replay');
    expect([response.statusCode, response.json()]).toMatchObject([200, { state: 'replayed', replayable: false }]);
    expect((await post('replay')).statusCode).toBe(200);
    expect(deps.database.failures).toEqual([]);
    expect(deps.database.auditLog[0]).toMatchObject({
      subject: id,
      detail: { country: 'SG', batchNo: 1, step: 1, action: 'award-reward', users: 2 },
    });
    const discarded = await post('discard');
    expect([discarded.statusCode, codeOf(discarded)]).toEqual([409, 'state-forbids']);
  });

  it('are discarded, and stay as they ended', async () => {
    expect((await post('discard')).json()).toMatchObject({ state: 'discarded' });
    expect((await post('discard')).statusCode).toBe(200);
    const replayed = await post('replay');
    expect([replayed.statusCode, codeOf(replayed)]).toEqual([409, 'not-replayable']);
    expect(deps.database.failures).toHaveLength(2);
  });

  it('are not opened again once their endpoint may have forgotten the key', async () => {
    const { keyLifeSeconds } = deps.catalogue.registered()['award-reward'] ?? { keyLifeSeconds: 0 };
    const bornMs = Date.now();
    deps.clock.advance(bornMs - deps.clock.nowMs() + keyLifeSeconds * 1000 + 1);
    const response = await post('replay');
    expect([response.statusCode, codeOf(response)]).toEqual([409, 'not-replayable']);
    expect((await get(`/${id}`)).json<{ whyNot: string }>().whyNot).toContain('keeps keys for');
  });

  it.each(['C', 'D'] as const)('are not opened again in class %s', async (of) => {
    const type = deps.database.actionTypes.get('send-message');
    if (!type) throw new Error('the type is not there');
    deps.database.actionTypes.set('send-message', { ...type, config: { ...type.config, class: of } });
    deps.database.registry.revision++;
    await deps.catalogue.refresh();
    await quarantineOne('send-message');
    const response = await post('replay');
    expect([response.statusCode, codeOf(response)]).toEqual([409, 'not-replayable']);
    expect(deps.database.failures.filter(({ outcome }) => outcome === 'unknown')).toHaveLength(4);
  });

  it('of a run that has ended are left to settlement', async () => {
    await stores.runs.finish(runId, 'completed_with_failures', null);
    const response = await post('replay');
    expect(problem.parse(response.json()).detail).toContain('settle its unknown users');
  });
});
