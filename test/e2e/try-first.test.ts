import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  changeActionType,
  createCampaign,
  getCampaign,
  listBudgets,
  startCampaign,
  testSendCampaign,
} from '../../sdk/generated/sdk.gen.ts';
import { readLedger } from '../../services/sandbox/ledger/ledger.ts';
import { rewardThenMessage, startInstallation, type Installation } from './installation.ts';

let muster: Installation;
beforeEach(async () => {
  muster = await startInstallation({
    workers: 'all-in-one',
    sandbox: { SANDBOX_SEGMENTS: 'lapsed-riders=600' },
    countries: ['SG'],
  });
});
afterEach(() => muster.stop());

const [reward = { action: '' }, message = { action: '' }] = rewardThenMessage;
/** The first two of the segment. */
const users = ['sg-000000001', 'sg-000000002'];

async function draft() {
  const { client } = muster.api;
  const definition = {
    name: 'Payday top-up',
    countries: ['SG'],
    chain: [
      { ...reward, unitsPerUser: 2 },
      { ...message, unitsPerUser: 1 },
    ],
    audience: { include: [{ segment: 'lapsed-riders' }], exclude: [] },
    budgets: [{ country: 'SG', units: 10_000 }],
  };
  return (await createCampaign({ client, body: definition })).data.id;
}

async function tested(id: string) {
  const { client } = muster.api;
  const { run } = (await testSendCampaign({ client, path: { id }, body: { users, country: 'SG' } })).data;
  const runId = run?.runId ?? '';
  return { ended: await muster.api.awaitEnd(runId), runId, ledger: await readLedger(muster.ledgerFile) };
}

it('a test gives what is real, nothing else, and costs that; its users are tested again, and served by the campaign', async () => {
  const { client } = muster.api;
  await changeActionType({ client, path: { name: 'award-reward' }, body: { understandsTest: true } });
  const id = await draft();

  const first = await tested(id);
  expect(first.ended).toMatchObject({ state: 'completed', balanced: true, kind: 'test' });
  expect(first.ended.steps).toMatchObject([
    { action: 'award-reward', mode: 'test', audience: 2, succeeded: 2 },
    { action: 'send-message', mode: 'live', audience: 2, succeeded: 2 },
  ]);
  expect([...first.ledger.of(first.runId, 1).applied.keys()]).toEqual([]);
  expect([...first.ledger.of(first.runId, 2).applied.keys()].toSorted()).toEqual(users);

  const second = await tested(id);
  expect([...second.ledger.of(second.runId, 2).applied.keys()].toSorted()).toEqual(users);
  const [budget] = (await listBudgets({ client, path: { id } })).data.items;
  expect(budget).toMatchObject({ used: 4, reserved: 0 });
  expect((await getCampaign({ client, path: { id } })).data).toMatchObject({ state: 'draft' });

  await startCampaign({ client, path: { id } });
  const runId = await firstRunOf(id);
  const inSingapore = 240;
  const whole = await muster.api.awaitEnd(runId);
  expect(whole).toMatchObject({ state: 'completed', kind: 'live', audience: { counted: inSingapore } });
  const ledger = await readLedger(muster.ledgerFile);
  for (const user of users) {
    expect([ledger.of(runId, 1).applied.get(user), ledger.of(runId, 2).applied.get(user)]).toEqual([1, 1]);
  }
  expect((await listBudgets({ client, path: { id } })).data.items[0]).toMatchObject({ used: 4 + inSingapore * 3 });
});

async function firstRunOf(id: string): Promise<string> {
  for (;;) {
    const { data } = await getCampaign({ client: muster.api.client, path: { id } });
    const runId = data.links.latestRun?.split('/').at(-1);
    if (runId !== undefined) return runId;
  }
}
