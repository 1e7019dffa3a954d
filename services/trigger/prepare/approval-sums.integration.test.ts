import { beforeEach, describe, expect, it } from 'vitest';
import { segmentAlone } from '../../../shared/contracts/runs/feed-audience.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { approvalsOn, verdictOf, type Person } from '../../../test/support/approvals-on-api.ts';
import { judgedRunsOn } from '../../../test/support/judged-runs.ts';
import { untilOneWaits } from '../../../test/support/lock-waits.ts';

const on = apiOnPostgres();
const people = approvalsOn(on);
const { addPeople, approve, asks, setPolicy, submit } = people;
const { approvals, chainOf, cleared, end, fedUpTo, madeRun, newRun, reasonOf, runs, writeFor } = judgedRunsOn(
  on,
  people,
);

beforeEach(addPeople);

const usersAbove = (above: number, approvers = 1) => setPolicy({ rules: [{ usersAbove: above, approvers }] });

describe('the sum of runs without an approval', () => {
  beforeEach(() => usersAbove(25));

  it('is limited by the policy per person, and the cause contains the counts', async () => {
    expect(await cleared(await newRun('SG'), { SG: 20 })).toEqual({ SG: 21 });
    const second = await newRun('ID');
    expect(await cleared(second, { ID: 5 })).toBe('waits');
    expect(await reasonOf(second)).toBe(
      'waits for approval: more than 25 users within 24 hours by mei: 21 users set going without approval already, 5 users with this',
    );
    expect(await cleared(await newRun('ID'), { ID: 4 })).toEqual({ ID: 4 });
  });

  it('is limited per action type and country, over all people who start runs', async () => {
    await cleared(await newRun('SG'), { SG: 20 });
    const byOther = await newRun('SG', 'tan, manager');
    expect(await cleared(byOther, { SG: 5 })).toBe('waits');
    expect(await reasonOf(byOther)).toMatch(/more than 25 users within 24 hours with award-reward in SG: 21 users/);
    expect(await cleared(await newRun('ID', 'tan, manager'), { ID: 20 })).toEqual({ ID: 21 });
    const other = { chain: chainOf('send-message') };
    expect(await cleared(await newRun('SG', 'tan, manager', other), { SG: 4 })).toEqual({ SG: 4 });
  });

  it('is limited per account, over all its people', async () => {
    await on.pool.query('update api_keys set account = (select min(account::text)::uuid from api_keys)');
    await cleared(await newRun('SG'), { SG: 20 });
    const byOther = await newRun('ID', 'tan, manager');
    expect(await cleared(byOther, { ID: 5 })).toBe('waits');
    expect(await reasonOf(byOther)).toMatch(/more than 25 users within 24 hours by this account: 21 users/);
  });

  it('counts a run for the author of its revision and for the person who started it', async () => {
    const runId = await newRun('SG', 'tan, manager');
    const { rows } = await on.pool.query<{ id: string }>(`select id from api_keys where owner = 'mei' limit 1`);
    const by = { keyId: publicId('apiKey', rows[0]?.id ?? ''), keyName: 'mei' };
    await on.pool.query(
      `insert into run_events (run, kind, detail) values ($1, 'created', jsonb_build_object('by', $2::jsonb))`,
      [runId, JSON.stringify(by)],
    );
    expect(await cleared(runId, { SG: 20 })).toEqual({ SG: 21 });
    expect(await cleared(await newRun('ID', 'mei, manager'), { ID: 5 })).toBe('waits');
    expect(await cleared(await newRun('VN', 'tan, manager'), { VN: 5 })).toBe('waits');
  });

  it('does not count a run that an approval covers', async () => {
    const campaign = await writeFor('SG');
    await approve(campaign.id, (await submit(campaign.id, { usersAtMost: { SG: 3000 } })).hash);
    expect(await cleared(await madeRun(campaign), { SG: 3000 })).toEqual({ SG: 3000 });
    expect(await cleared(await newRun('ID'), { ID: 25 })).toEqual({ ID: 25 });
  });

  it('allows a waiting run once it is approved', async () => {
    await cleared(await newRun('SG'), { SG: 20 });
    const campaign = await writeFor('ID');
    const runId = await madeRun(campaign);
    expect(await cleared(runId, { ID: 20 })).toBe('waits');
    const answer = await asks('rahayu, approver', 'GET', `/approvals?runId=${publicId('run', runId)}`);
    const [approval] = answer.json<{ items: { hash: string }[] }>().items;
    await approve(campaign.id, approval?.hash ?? '');
    expect(await cleared(runId, { ID: 20 })).toEqual({ ID: 21 });
    // The sum does not include an approved run.
    expect(await cleared(await newRun('ID'), { ID: 4 })).toEqual({ ID: 4 });
  });

  it('counts each run of a recurring campaign', async () => {
    const schedule = { type: 'recurring', cron: '0 9 * * *', zone: 'UTC' };
    const campaign = await writeFor('SG', 'mei, manager', { schedule });
    const bounds = [];
    for (let run = 0; run < 3; run++) bounds.push(await cleared(await madeRun(campaign), { SG: 10 }));
    expect(bounds).toEqual([{ SG: 11 }, { SG: 11 }, 'waits']);
  });

  it('counts a run once, even if it is checked three times', async () => {
    const runId = await newRun('SG');
    for (let time = 0; time < 3; time++) expect(await cleared(runId, { SG: 20 })).toEqual({ SG: 21 });
    expect(await cleared(await newRun('SG'), { SG: 4 })).toEqual({ SG: 4 });
  });

  it('counts retried users only once, with the run in which they failed', async () => {
    const campaign = await writeFor('SG');
    const parent = await madeRun(campaign);
    await cleared(parent, { SG: 25 });
    await end(parent, 25);
    expect(await cleared(await madeRun(campaign, parent), { SG: 25 })).toEqual({ SG: 25 });
    expect(await cleared(await madeRun(campaign), { SG: 1 })).toBe('waits');
  });

  it('counts the run of retried users from the time of the retry', async () => {
    const campaign = await writeFor('SG');
    const parent = await madeRun(campaign);
    await cleared(parent, { SG: 25 });
    await end(parent, 25);
    await on.pool.query(`update unapproved_starts set at = at - interval '23 hours'`);
    expect(await cleared(await madeRun(campaign, parent), { SG: 25 })).toEqual({ SG: 25 });
    await on.pool.query(`update unapproved_starts set at = at - interval '2 hours'`);
    expect(await cleared(await madeRun(campaign), { SG: 1 })).toBe('waits');
  });

  it('counts for a cancelled run only the users that were fed', async () => {
    const runId = await newRun('SG');
    await cleared(runId, { SG: 25 });
    expect(await cleared(await newRun('SG'), { SG: 5 })).toBe('waits');
    await end(runId, 20);
    expect(await cleared(await newRun('SG'), { SG: 6 })).toBe('waits');
    expect(await cleared(await newRun('SG'), { SG: 5 })).toEqual({ SG: 5 });
  });

  it('covers 24 hours, and older rows are deleted', async () => {
    await cleared(await newRun('SG'), { SG: 25 });
    await on.pool.query(`update unapproved_starts set at = at - interval '23 hours 59 minutes'`);
    expect(await cleared(await newRun('SG'), { SG: 5 })).toBe('waits');
    await on.pool.query(`update unapproved_starts set at = at - interval '1 minute'`);
    expect(await cleared(await newRun('SG'), { SG: 25 })).toEqual({ SG: 25 });
    expect(await on.rowsOf('unapproved_starts')).toHaveLength(1);
  });

  it('grows with a run that finds more users than estimated, up to the policy', async () => {
    const small = await newRun('SG');
    await cleared(small, { SG: 4 });
    const runId = await newRun('SG');
    const answer = await approvals().clear(runId, { SG: 10 });
    const audience = segmentAlone({ segment: 'lapsed-riders', snapshot: 's1', estimate: 10 });
    const feeds = [{ country: 'SG', audience, usersAtMost: answer?.usersAtMost?.['SG'] }];
    expect(await runs().begin(runId, feeds, 100, answer?.clearedBy ?? expect.fail())).toBe(true);
    const [feed] = await on.rowsOf('feeds');
    const ofFeed = { runId, feedId: String(feed?.['feed']), country: 'SG' };
    await approvals().goBeyond({ ...ofFeed, more: 20 });
    expect(await on.rowsOf('feeds')).toMatchObject([{ max_users: '20' }]);
    expect(await cleared(await newRun('SG'), { SG: 1 })).toBe('waits');
    await approvals().goBeyond({ ...ofFeed, more: 21 });
    expect(await reasonOf(runId)).toMatch(/5 users set going without approval already, 21 users with this/);
  });

  it('is checked for one start at a time', async () => {
    const runId = await newRun('SG');
    const other = await on.pool.connect();
    await other.query('begin');
    await other.query('select from unapproved_starts_lock for update');
    const clearing = cleared(runId, { SG: 20 });
    await untilOneWaits(on.pool);
    await other.query('commit');
    other.release();
    expect(await clearing).toEqual({ SG: 21 });
  });

  it('is never exceeded by 24 runs that begin concurrently', async () => {
    const people: Person[] = ['mei, manager', 'tan, manager'];
    const all: string[] = [];
    for (let run = 0; run < 24; run++)
      all.push(await newRun(run % 3 === 0 ? 'ID' : 'SG', people[run % 2], { name: `part ${run}` }));
    await Promise.all(all.map((runId, run) => approvals().clear(runId, { [run % 3 === 0 ? 'ID' : 'SG']: 5 })));
    const { rows } = await on.pool.query<{ key: string; users: number }>(
      `select k.key || case when k.key like 'action:%' then ' ' || s.country else '' end as key,
         sum(s.users)::int as users
       from unapproved_starts s, unnest(s.sum_keys) k (key) group by 1`,
    );
    expect(rows.length).toBeGreaterThan(2);
    expect(rows.filter(({ users }) => users > 25)).toEqual([]);
    // Several starts together have used most of the sum.
    expect(Math.max(...rows.map(({ users }) => users))).toBeGreaterThan(18);
    const { rows: waiting } = await on.pool.query(`select from runs where state = 'paused'`);
    expect(waiting.length).toBeGreaterThan(12);
  });
});

describe('an approval policy for units', () => {
  it('limits the sum of eight small campaigns with the same users', async () => {
    await setPolicy({ rules: [{ unitsAbove: 5000, approvers: 1 }] });
    const chain = [{ action: 'award-reward', params: {}, unitsPerUser: 100 }];
    const bounds = [];
    for (let part = 0; part < 8; part++)
      bounds.push(await cleared(await newRun('SG', 'mei, manager', { chain, name: `part ${part}` }), { SG: 20 }));
    expect(bounds).toEqual([{ SG: 21 }, { SG: 21 }, ...Array.from({ length: 6 }, () => 'waits')]);
  });

  it('counts at most the budget of a campaign', async () => {
    await setPolicy({ rules: [{ unitsAbove: 100, approvers: 1 }] });
    const withBudget = (units: number) => newRun('SG', 'mei, manager', { budgets: [{ country: 'SG', units }] });
    expect(await cleared(await withBudget(60), { SG: 1000 })).toEqual({ SG: 1050 });
    expect(await cleared(await withBudget(41), { SG: 1000 })).toBe('waits');
    expect(await cleared(await withBudget(40), { SG: 1000 })).toEqual({ SG: 1050 });
  });

  it.each([
    ['of unknown size', 0, { SG: 100 }],
    ['estimated far below its budget', 10, { SG: 11 }],
  ])('is not exceeded by eight campaigns %s, each with a budget within the policy', async (_, users, first) => {
    await setPolicy({ rules: [{ unitsAbove: 5000, approvers: 1 }] });
    const chain = [{ action: 'award-reward', params: {}, unitsPerUser: 100 }];
    const spend = [];
    for (let part = 0; part < 8; part++) {
      const changes = { chain, name: `part ${part}`, budgets: [{ country: 'SG', units: 5000 }] };
      const runId = await newRun('SG', 'mei, manager', changes);
      const answer = await approvals().clear(runId, { SG: users });
      if (part === 0) expect(answer?.usersAtMost).toEqual(first);
      if (answer) spend.push(await fedUpTo(60, runId, answer));
    }
    const units = spend.reduce((sum, fed) => sum + Math.min(fed * 100, 5000), 0);
    // The policy is used up as well: no run within the policy is blocked.
    expect(units).toBeGreaterThan(4000);
    expect(units).toBeLessThanOrEqual(5000);
  });

  it('allows a run within its budget to feed more users than estimated', async () => {
    await setPolicy({ rules: [{ unitsAbove: 100, approvers: 1 }] });
    const runId = await newRun('SG', 'mei, manager', { budgets: [{ country: 'SG', units: 100 }] });
    const answer = (await approvals().clear(runId, { SG: 10 })) ?? expect.fail('it waits');
    expect(await fedUpTo(5000, runId, answer)).toBe(5000);
  });
});

describe('the start of a campaign', () => {
  const start = async (id: string) => asks('mei, manager', 'POST', `/campaigns/${id}/start`);

  it('is refused with the counts of the sum, can be submitted, and succeeds after the approval', async () => {
    await usersAbove(1500);
    await cleared(await newRun('SG'), { SG: 1000 });
    const { id } = await writeFor('ID');
    const refused = await start(id);
    expect(verdictOf(refused)).toBe('409 approval-needed');
    expect(refused.json<{ detail: string }>().detail).toContain(
      'more than 1,500 users within 24 hours by mei: 1,050 users set going without approval already, 1,000 users with this',
    );
    const { hash, requiredApprovers } = await submit(id);
    expect(requiredApprovers).toBe(1);
    await approve(id, hash);
    expect(verdictOf(await start(id))).toBe('200');
  });

  it('for another day is checked without the sums of today', async () => {
    await usersAbove(1500);
    await cleared(await newRun('SG'), { SG: 1000 });
    const time = new Date(on.deps.clock.nowMs() + 7 * 86_400_000).toISOString();
    const { id } = await writeFor('ID', 'mei, manager', { schedule: { type: 'at', time } });
    expect(verdictOf(await start(id))).toBe('200');
  });
});
