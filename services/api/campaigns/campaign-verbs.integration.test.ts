import { beforeEach, describe, expect, it } from 'vitest';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf } from '../../../test/support/approvals-on-api.ts';

const on = apiOnPostgres();
const { addPeople, approve, asks, setPolicy, submit, write } = approvalsOn(on);

const ask = (method: 'POST' | 'PATCH' | 'DELETE', id: string, path = '', payload?: object) =>
  on.ask(method, `/v1/campaigns/${id}${path}`, payload);

const verbs = {
  change: (id: string) => ask('PATCH', id, '', { name: 'changed' }),
  restore: (id: string) => ask('POST', id, '/revisions/1/restore'),
  describe: (id: string) => ask('PATCH', id, '', { owner: 'growth' }),
  start: (id: string) => ask('POST', id, '/start'),
  unschedule: (id: string) => ask('POST', id, '/unschedule'),
  clone: (id: string) => ask('POST', id, '/clone'),
  archive: (id: string) => ask('POST', id, '/archive'),
  unarchive: (id: string) => ask('POST', id, '/unarchive'),
  delete: (id: string) => ask('DELETE', id),
  'test send': (id: string) => ask('POST', id, '/trials', { kind: 'test', users: ['u1'], country: 'SG' }),
  'dry run': (id: string) => ask('POST', id, '/trials', { kind: 'dry-run' }),
};

/** Creates a draft with two revisions. */
async function draft(): Promise<string> {
  const { id } = await write();
  await asks('mei, manager', 'PATCH', `/campaigns/${id}`, { priority: 'low' });
  return id;
}

async function withRun(state: 'running' | 'completed'): Promise<string> {
  const id = await draft();
  await verbs.start(id);
  await on.pool.query('delete from run_starts');
  const campaignId = uuidOf('campaign', id) ?? expect.fail(id);
  const scheduledFor = new Date(on.deps.clock.nowMs());
  const endedAt = state === 'running' ? {} : { endedAt: scheduledFor };
  await on.deps.rows.addRun({ campaignId, revision: 2, scheduledFor, state, ...endedAt });
  return id;
}

const archived = async (id: string) => {
  expect((await verbs.archive(id)).statusCode).toBe(200);
  return id;
};

const states = {
  'a draft': draft,
  'in review': async () => {
    await setPolicy();
    const id = await draft();
    await submit(id);
    return id;
  },
  approved: async () => {
    await setPolicy();
    const id = await draft();
    const { hash } = await submit(id);
    await approve(id, hash);
    return id;
  },
  scheduled: async () => {
    const id = await draft();
    await verbs.start(id);
    return id;
  },
  'under way': () => withRun('running'),
  ended: () => withRun('completed'),
  'an archived draft': async () => await archived(await draft()),
  'archived after its run': async () => await archived(await withRun('completed')),
};

const forbidden = '409 state-forbids';

/** Expected answers to each of the requests in `verbs`, in the same order. */
const table: Record<keyof typeof states, string[]> = {
  'a draft': ['200', '200', '200', '200', '200', '201', '200', '200', '204', '201', '201'],
  'in review': ['200', '200', '200', '409 approval-needed', '200', '201', forbidden, '200', forbidden, '201', '201'],
  approved: ['200', '200', '200', '200', '200', '201', '200', '200', '204', '201', '201'],
  scheduled: [forbidden, forbidden, '200', '200', '200', '201', forbidden, '200', forbidden, '201', '201'],
  'under way': [forbidden, forbidden, '200', '200', forbidden, '201', forbidden, '200', forbidden, '201', '201'],
  ended: [forbidden, forbidden, '200', '200', forbidden, '201', '200', '200', forbidden, '201', '201'],
  'an archived draft': [
    forbidden,
    forbidden,
    '200',
    forbidden,
    '200',
    '201',
    '200',
    '200',
    '204',
    forbidden,
    forbidden,
  ],
  'archived after its run': [
    forbidden,
    forbidden,
    '200',
    '200',
    forbidden,
    '201',
    '200',
    '200',
    forbidden,
    forbidden,
    forbidden,
  ],
};

beforeEach(addPeople);

describe.each(Object.entries(states))('a campaign that is %s', (state, make) => {
  const answers = Object.entries(table).find(([name]) => name === state)?.[1] ?? [];

  it.each(Object.entries(verbs).map(([verb, send], place) => [verb, answers[place] ?? 'nothing', send] as const))(
    'answers the request %s with %s',
    async (_verb, answer, send) => {
      expect(verdictOf(await send(await make()))).toBe(answer);
    },
  );
});

it('an archived campaign cannot be submitted for approval', async () => {
  await setPolicy();
  expect(verdictOf(await ask('POST', await archived(await draft()), '/submit'))).toBe(forbidden);
});
