import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures, nothingUnbegun, withoutHandOn } from '../../../test/support/worker-fixture.ts';

const users = ['u1', 'u2', 'u3', 'u4'];
const contradicted = 'not whom the rows have left in it';
const notDue = 'no step that the rows know to be due';

/** u2 fails in step 1; the true message to step 2 is gone, and what a test publishes comes in its place. */
async function afterStepOne() {
  const running = await createRunningWorker({}, ({ ledger }) => ({
    ledger: withoutHandOn(ledger),
    publisher: { publish: () => Promise.resolve() },
    unbegun: nothingUnbegun,
  }));
  const { clock, endpoint, feed, database, publish } = running;
  endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u2'] : []);
  const fed = await feed([users]);
  await passTime(clock, 1000);
  const said = async (message: { remaining: number[]; lost?: (string[] | null)[]; batchNos?: number[] }) => {
    await publish({ feedId: fed.feedId, step: 2, batchNos: [1], ...message });
    await passTime(clock, 1000);
  };
  const calledInTwo = () => endpoint.seen.filter(({ call }) => call.step === 2).map(({ call }) => call.users);
  const reasons = () => [...database.deadLetters.values()].map(({ reason }) => reason);
  return { ...running, ...fed, said, calledInTwo, reasons };
}

describe('a message of step 2 whose true users are u1, u3 and u4', () => {
  it.each<[string, { remaining: number[]; lost?: (string[] | null)[] }]>([
    ['nobody was lost', { remaining: [4], lost: [[]] }],
    ['another was lost', { remaining: [3], lost: [['u4']] }],
    ['one more was lost', { remaining: [2], lost: [['u2', 'u4']] }],
    ['a stranger was lost in their place', { remaining: [4], lost: [['u9']] }],
    ['it does not say who, and too many are left', { remaining: [4], lost: [null] }],
    ['it does not say who, and too few are left', { remaining: [1] }],
    ['as many are left as are, of others', { remaining: [3], lost: [['u1']] }],
    ['too many are left, and whom it lost is right', { remaining: [4], lost: [['u2']] }],
  ])('calls them alone where it says that %s, and is set aside with its bytes', async (_, message) => {
    const { said, calledInTwo, reasons, totals } = await afterStepOne();
    await said(message);
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
    expect(totals()).toMatchObject([
      { step: 1, succeeded: 3, failed: 1 },
      { step: 2, succeeded: 3, failed: 0 },
    ]);
  });

  it('is believed where it is right, without a look at who was lost', async () => {
    const { said, calledInTwo, reasons } = await afterStepOne();
    await said({ remaining: [3], lost: [['u2']] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([]);
  });

  it('is set aside once, however often it names them', async () => {
    const { said, calledInTwo, reasons, bus, topicOf } = await afterStepOne();
    await said({ batchNos: [1, 1, 1], remaining: [4, 4, 4], lost: [[], [], []] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
    expect(await bus.backlogs('muster.worker').unhandled([topicOf(2)])).toEqual(new Map([[topicOf(2), 0]]));
  });

  it('is set aside before its turn: step 1 of the batch is not done, or there is no such batch', async () => {
    const { said, calledInTwo, reasons } = await afterStepOne();
    await said({ batchNos: [2], remaining: [4], lost: [[]] });
    expect(calledInTwo()).toEqual([]);
    expect(reasons()).toEqual([notDue]);
  });

  it('is set aside when all is done, and nobody is called again', async () => {
    const { said, calledInTwo, reasons } = await afterStepOne();
    await said({ remaining: [3], lost: [['u2']] });
    await said({ remaining: [4], lost: [[]] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
  });
});

describe('a message of step 1', () => {
  it('that says another number of users calls those of the batch', async () => {
    const { clock, endpoint, feed, publish, database } = await createRunningWorker();
    const { feedId } = await feed([]);
    database.batches.set(`${feedId}/1`, { feedId, batchNo: 1, users, parent: null, fromStep: 1 });
    await publish({ feedId, step: 1, batchNos: [1], remaining: [2], lost: [['u1', 'u2']] });
    await passTime(clock, 1000);
    expect(endpoint.seen[0]?.call.users).toEqual(users);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([contradicted]);
  });
});

describe('rows that disagree with each other', () => {
  it('call nobody: how many are left is what the step before says', async () => {
    const { said, calledInTwo, database } = await afterStepOne();
    database.failures.splice(0);
    await said({ remaining: [3], lost: [null] });
    expect(calledInTwo()).toEqual([]);
  });
});
