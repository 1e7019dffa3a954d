import { beforeEach, describe, expect, it } from 'vitest';
import { trialCounts } from '../../../shared/contracts/runs/trials.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf, whileSumsAreLocked } from '../../../test/support/approvals-on-api.ts';
import { untilOneWaits } from '../../../test/support/lock-waits.ts';
import { testedChain as chain, testSendsOn } from '../../../test/support/test-sends-on-api.ts';

const on = apiOnPostgres();
const approvals = approvalsOn(on);
const { addPeople, approve, setPolicy, submit, write } = approvals;
const { send, sent, understandsTest } = testSendsOn(on, approvals);

beforeEach(addPeople);

describe('a user that a live test of the campaign has reached', () => {
  it('is named in the refusal of the next test, and reached again if the test requests it', async () => {
    const { id } = await write();
    await sent(id, { users: ['u1', 'u2'] });
    for (const preview of [true, false]) {
      const refused = await send(id, { users: ['u3', 'u2'], preview });
      expect(verdictOf(refused)).toBe('409 reached-by-test');
      expect(refused.json<{ detail: string }>().detail).toMatch(/has reached "u2": name other users, or/);
    }
    await sent(id, { users: ['u3', 'u2'], again: true });
  });

  it('is reached once by tests that are sent at the same time', async () => {
    const { id } = await write();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send(id)));
    expect(answers.map(verdictOf).toSorted()).toEqual([
      '201',
      ...Array.from({ length: 5 }, () => '409 reached-by-test'),
    ]);
  });

  it('can be reached by a test in which only another step is real', async () => {
    await understandsTest('award-reward');
    const { id } = await write('mei, manager', { chain });
    await sent(id);
    expect(verdictOf(await send(id))).toBe('409 reached-by-test');
    await understandsTest('award-reward', false);
    await understandsTest('send-message');
    await sent(id);
  });
});

describe('the counts of trials of a campaign', () => {
  const countsOf = async (id: string) =>
    trialCounts.parse((await on.ask('GET', `/v1/campaigns/${id}/trials/counts`)).json());

  it('include dry runs, tests, live tests, their users and the results of live steps', async () => {
    const { id } = await write('mei, manager', { chain });
    expect(await countsOf(id)).toEqual({ dryRuns: 0, tests: 0, liveTests: 0, users: 0, steps: [] });
    await understandsTest('award-reward');
    const { run } = await sent(id);
    await on.pool.query('update feeds set fed_users = 4 where run = $1', [uuidOf('run', run?.runId ?? '')]);
    await on.pool.query(
      `insert into run_totals (feed, step, slot, succeeded, failed) select f.feed, k.step, 0, 3, 1
       from feeds f, (values (1), (2)) k (step)`,
    );
    await understandsTest('send-message');
    await sent(id);
    await approvals.asks('mei, manager', 'POST', `/campaigns/${id}/trials`, { kind: 'dry-run' });
    const steps = [{ step: 2, succeeded: 3, failed: 1, unknown: 0 }];
    expect(await countsOf(id)).toEqual({ dryRuns: 1, tests: 2, liveTests: 1, users: 4, steps });
  });
});

describe('a test under a policy of approvals', () => {
  it('needs no approval if the policy requires none for so few users', async () => {
    await setPolicy();
    const { id } = await write();
    await sent(id);
  });

  it('uses the approval of its campaign if the policy requires one for so few users', async () => {
    await setPolicy({ rules: [{ countries: ['SG'], approvers: 1 }] });
    const { id } = await write();
    const refused = await send(id);
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(verdictOf(await send(id, { preview: true }))).toBe('409 approval-needed');
    const { hash } = await submit(id);
    await approve(id, hash);
    await sent(id);
  });

  it('counts in the sum that the policy limits, so that only one of forty tests of the same users is sent', async () => {
    await setPolicy({ rules: [{ usersAbove: 25, approvers: 1 }] });
    const { id } = await write();
    const victims = Array.from({ length: 25 }, (_, index) => `victim-${index}`);
    const verdicts = new Map<string, number>();
    for (let time = 0; time < 40; time++) {
      const verdict = verdictOf(await send(id, { users: victims, again: true }));
      verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
      await on.pool.query(`update feeds set fed_users = 25`);
      await on.pool.query(`update runs set state = 'completed', ended_at = now() where ended_at is null`);
    }
    expect([...verdicts]).toEqual([
      ['201', 1],
      ['409 approval-needed', 39],
    ]);
    const preview = await send(id, { users: victims, again: true, preview: true });
    expect(preview.json<{ detail: string }>().detail).toContain(
      'more than 25 users within 24 hours by mei: 25 users set going without approval already, 25 users with this',
    );
  });

  it('never exceeds the policy together with other tests that are sent at the same time', async () => {
    await setPolicy({ rules: [{ usersAbove: 25, approvers: 1 }] });
    const ids = [];
    for (let number = 0; number < 6; number++) ids.push((await write()).id);
    await on.pool.query('update campaigns set account = null');
    const answers = await Promise.all(
      ids.map((id) => send(id, { users: Array.from({ length: 10 }, (_, u) => `u${u}`) })),
    );
    expect(answers.map(verdictOf).toSorted()).toEqual([
      ...['201', '201'],
      ...Array.from({ length: 4 }, () => '409 approval-needed'),
    ]);
  });

  it('reaches no more users within 24 hours than the approval of its campaign covers', async () => {
    await setPolicy({ rules: [{ countries: ['SG'], approvers: 1 }] });
    const { id } = await write();
    await approve(id, (await submit(id, { usersAtMost: { SG: 9, ID: 9, VN: 9 } })).hash);
    await sent(id);
    await sent(id, { again: true });
    await on.pool.query(`update feeds set fed_users = 4`);
    await on.pool.query(`update runs set state = 'completed', ended_at = now()`);
    const refused = await send(id, { again: true });
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(refused.json<{ detail: string }>().detail).toContain(
      'tests have reached 8 users in SG within 24 hours, 9 are approved',
    );
    await sent(id, { users: ['u7'] });
  });

  it('is judged by the cost of its real steps, and needs no approval without real steps', async () => {
    await setPolicy({ rules: [{ unitsAbove: 4, approvers: 1 }] });
    const { id } = await write('mei, manager', { chain });
    expect(verdictOf(await send(id))).toBe('409 approval-needed');
    await understandsTest('award-reward');
    await sent(id);
    await setPolicy({ rules: [{ approvers: 1 }] });
    expect(verdictOf(await send(id, { again: true }))).toBe('409 approval-needed');
    await understandsTest('send-message');
    expect((await sent(id)).isReal).toBe(false);
  });
});

describe('a live test while another transaction locks the sums that the policy limits', () => {
  it('begins if no rule is in force', async () => {
    const { id } = await write();
    await whileSumsAreLocked(on.pool, () => sent(id));
  });

  it('is refused without waiting for the lock if it names users that an earlier test has reached', async () => {
    await setPolicy();
    const { id } = await write();
    await sent(id);
    const refused = await whileSumsAreLocked(on.pool, () => send(id));
    expect(verdictOf(refused)).toBe('409 reached-by-test');
  });

  it('uses the approval of its campaign, without waiting for the lock, if it needs an approval in any case', async () => {
    await setPolicy({ rules: [{ countries: ['SG'], approvers: 1 }] });
    const { id } = await write();
    expect(verdictOf(await whileSumsAreLocked(on.pool, () => send(id)))).toBe('409 approval-needed');
    await approve(id, (await submit(id)).hash);
    await whileSumsAreLocked(on.pool, () => sent(id));
  });

  it('is judged by the budgets that the other transaction has raised', async () => {
    await setPolicy({ rules: [{ unitsAbove: 4, approvers: 1 }] });
    const steps = [{ action: 'award-reward', params: {}, unitsPerUser: 2 }];
    const { id } = await write('mei, manager', { chain: steps, budgets: [{ country: 'SG', units: 4 }] });
    await approvals.asks('mei, manager', 'POST', `/campaigns/${id}/start`);
    const answer = await whileSumsAreLocked(on.pool, async (release) => {
      const sending = send(id);
      await untilOneWaits(on.pool);
      await release('update budgets set units = 100');
      return sending;
    });
    expect(verdictOf(answer)).toBe('409 approval-needed');
  });
});
