import { describe, expect, it } from 'vitest';
import { passTime } from '../../../test/support/pass-time.ts';
import { createRunningWorker } from '../../../test/support/running-worker.ts';
import { answerWithFailures, nothingUnstarted, withoutHandOn } from '../../../test/support/worker-fixture.ts';

const users = ['u1', 'u2', 'u3', 'u4'];
const contradicted = 'not whom the rows have left in it';
const notDue = 'no step that the rows know to be due';

/**
 * Runs step 1, in which user u2 fails. Removes the true message of step 2, so that a test can publish a forged one in
 * its place.
 */
async function afterStepOne() {
  const running = await createRunningWorker({}, ({ ledger }) => ({
    ledger: withoutHandOn(ledger),
    publisher: { publish: () => Promise.resolve() },
    unstarted: nothingUnstarted,
  }));
  const { clock, endpoint, feed, database, publish } = running;
  endpoint.answer = (seen) => answerWithFailures(seen, seen.call.step === 1 ? ['u2'] : []);
  const fed = await feed([users]);
  await passTime(clock, 1000);
  const reported = async (message: { remaining: number[]; lost?: (string[] | null)[]; batchNos?: number[] }) => {
    await publish({ feedId: fed.feedId, step: 2, batchNos: [1], ...message });
    await passTime(clock, 1000);
  };
  const calledInTwo = () => endpoint.seen.filter(({ call }) => call.step === 2).map(({ call }) => call.users);
  const reasons = () => [...database.deadLetters.values()].map(({ reason }) => reason);
  return { ...running, ...fed, report: reported, calledInTwo, reasons };
}

describe('a forged message of step 2 whose true users are u1, u3 and u4', () => {
  it.each<[string, { remaining: number[]; lost?: (string[] | null)[] }]>([
    ['that no user was lost', { remaining: [4], lost: [[]] }],
    ['that u4 was lost instead of u2', { remaining: [3], lost: [['u4']] }],
    ['that u4 was lost besides u2', { remaining: [2], lost: [['u2', 'u4']] }],
    ['that an unknown user was lost', { remaining: [4], lost: [['u9']] }],
    ['no lost users and too many remaining users', { remaining: [4], lost: [null] }],
    ['no lost users and too few remaining users', { remaining: [1] }],
    ['the right number of remaining users but another lost user', { remaining: [3], lost: [['u1']] }],
    ['the right lost user but too many remaining users', { remaining: [4], lost: [['u2']] }],
  ])('leads to calls of the true users only, and is quarantined with its bytes if it states %s', async (_, message) => {
    const { report, calledInTwo, reasons, totals } = await afterStepOne();
    await report(message);
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
    expect(totals()).toMatchObject([
      { step: 1, succeeded: 3, failed: 1 },
      { step: 2, succeeded: 3, failed: 0 },
    ]);
  });

  it('is accepted without a look-up of the lost users if it is correct', async () => {
    const { report, calledInTwo, reasons } = await afterStepOne();
    await report({ remaining: [3], lost: [['u2']] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([]);
  });

  it('is quarantined once if it contains the same batch several times', async () => {
    const { report, calledInTwo, reasons, bus, topicOf } = await afterStepOne();
    await report({ batchNos: [1, 1, 1], remaining: [4, 4, 4], lost: [[], [], []] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
    expect(await bus.backlogs('muster.worker').unhandled([topicOf(2)])).toEqual(new Map([[topicOf(2), 0]]));
  });

  it('is quarantined without a call if its batch does not exist', async () => {
    const { report, calledInTwo, reasons } = await afterStepOne();
    await report({ batchNos: [2], remaining: [4], lost: [[]] });
    expect(calledInTwo()).toEqual([]);
    expect(reasons()).toEqual([notDue]);
  });

  it('is quarantined without another call if its step is already done', async () => {
    const { report, calledInTwo, reasons } = await afterStepOne();
    await report({ remaining: [3], lost: [['u2']] });
    await report({ remaining: [4], lost: [[]] });
    expect(calledInTwo()).toEqual([['u1', 'u3', 'u4']]);
    expect(reasons()).toEqual([contradicted]);
  });
});

describe('a forged message of step 1', () => {
  it('leads to a call of the users in the batch row, and is quarantined if its number of users is wrong', async () => {
    const { clock, endpoint, feed, publish, database } = await createRunningWorker();
    const { feedId } = await feed([]);
    database.batches.set(`${feedId}/1`, { feedId, batchNo: 1, users, parent: null, fromStep: 1 });
    await publish({ feedId, step: 1, batchNos: [1], remaining: [2], lost: [['u1', 'u2']] });
    await passTime(clock, 1000);
    expect(endpoint.seen[0]?.call.users).toEqual(users);
    expect([...database.deadLetters.values()].map(({ reason }) => reason)).toEqual([contradicted]);
  });
});

describe('rows that contradict each other', () => {
  it('cause no call if the stored failures do not match the number of users who remained after the step before', async () => {
    const { report, calledInTwo, database } = await afterStepOne();
    database.failures.splice(0);
    await report({ remaining: [3], lost: [null] });
    expect(calledInTwo()).toEqual([]);
  });
});
