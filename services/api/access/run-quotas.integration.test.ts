import { describe, expect, it } from 'vitest';
import { publicId, uuidOf } from '../../../shared/domain/ids/ids.ts';
import { lockQuotas } from '../../../shared/postgres/registry/account-quotas.ts';
import { claimOne, doneOf, failed, record, startFedRun } from '../../../test/support/conformance/execution-subject.ts';
import { createPostgresExecutionStores } from '../../../test/support/postgres-execution-stores.ts';
import { apiOnPostgres } from '../../../test/support/api-on-postgres.ts';
import { untilOneWaits } from '../../../test/support/lock-waits.ts';
import { fireBufferedOnPostgres, recurOnPostgres } from '../../../test/support/recur-on-postgres.ts';
import { idOf, inSg, refusedBy, teamsOn } from '../../../test/support/teams-on-postgres.ts';

const on = apiOnPostgres({ quotas: { openRuns: 2 } });
const { askAs, makeManager, usedBy } = teamsOn(on);

describe('open runs', () => {
  const start = (secret: string, id: string) => askAs(secret, 'POST', `/v1/campaigns/${id}/start`);
  const later = { ...inSg, schedule: { type: 'at', time: '2026-02-01T00:00:00Z' } };
  const hourly = (overlap: string) => ({ ...inSg, schedule: { type: 'recurring', cron: '0 * * * *', overlap } });
  const control = (secret: string, scheduleId: string, verb: string) =>
    askAs(secret, 'POST', `/v1/schedules/${scheduleId}/${verb}`);
  const refused = { statusCode: 429, code: 'quota-exceeded', variable: 'QUOTA_OPEN_RUNS', figure: 2 };

  /** Creates and starts a campaign. Returns the id of its schedule; the id of the campaign if it has no schedule. */
  async function started(secret: string, body: object): Promise<string> {
    const { scheduleId, id } = (await start(secret, idOf(await askAs(secret, 'POST', '/v1/campaigns', body)))).json<{
      id: string;
      scheduleId: string | null;
    }>();
    return scheduleId ?? id;
  }

  async function nextHour(): Promise<void> {
    await on.passTime(3_600_000);
    await recurOnPostgres(on.pool, on.deps.quotas);
  }

  /** Returns the outcomes of a schedule's occurrences, oldest first. */
  async function outcomesOf(scheduleId: string): Promise<string[]> {
    const { items } = (await askAs(undefined, 'GET', `/v1/schedules/${scheduleId}/occurrences`)).json<{
      items: { state: string; cause: string | null }[];
    }>();
    return items.toReversed().map(({ state, cause }) => cause ?? state);
  }

  it('are refused beyond the quota, which includes scheduled and recurring ones, and can be started again after one was unscheduled', async () => {
    const { secret } = await makeManager();
    const made = [];
    for (const body of [later, hourly('skip'), inSg])
      made.push(idOf(await askAs(secret, 'POST', '/v1/campaigns', body)));
    const [first = '', second = '', third = ''] = made;
    expect((await start(secret, first)).statusCode).toBe(200);
    expect((await start(secret, second)).statusCode).toBe(200);
    expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
    expect(await refusedBy(start(secret, third))).toEqual(refused);
    expect(await on.rowsOf('run_starts')).toHaveLength(1);
    // A campaign that is already started needs no place in the quota.
    expect((await start(secret, first)).statusCode).toBe(200);
    expect((await askAs(secret, 'POST', `/v1/campaigns/${first}/unschedule`)).statusCode).toBe(200);
    expect((await start(secret, third)).statusCode).toBe(200);
  });

  it('include one for each recurring campaign and each overlapping run, and occurrences beyond the quota are skipped', async () => {
    const { secret } = await makeManager();
    const waiting = await started(secret, later);
    const recurring = await started(secret, hourly('allow'));
    const theirs = await started((await makeManager()).secret, hourly('allow'));
    await nextHour();
    expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
    await nextHour();
    expect(await outcomesOf(recurring)).toEqual(['fired', 'quota']);
    expect(await outcomesOf(theirs)).toEqual(['fired', 'fired']);
    expect((await askAs(secret, 'POST', `/v1/campaigns/${waiting}/unschedule`)).statusCode).toBe(200);
    await nextHour();
    await nextHour();
    expect(await outcomesOf(recurring)).toEqual(['fired', 'quota', 'fired', 'quota']);
    expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
  });

  it('get the free places of the quota in the order of their due times', async () => {
    const { secret } = await makeManager();
    const eachMinute = { type: 'recurring', cron: '* * * * *', overlap: 'allow', misfire: 'fire-all' };
    const recurring = await started(secret, { ...inSg, schedule: eachMinute });
    await on.passTime(180_000);
    await recurOnPostgres(on.pool, on.deps.quotas);
    expect(await outcomesOf(recurring)).toEqual(['fired', 'fired', 'quota']);
    expect(await on.rowsOf('run_starts')).toHaveLength(2);
  });

  it('never exceed the quota if a start and a schedule compete for the last place', async () => {
    const { id, secret } = await makeManager();
    const recurring = await started(secret, hourly('allow'));
    await nextHour();
    const other = idOf(await askAs(secret, 'POST', '/v1/campaigns', inSg));
    await on.passTime(3_600_000);
    const starting = await on.pool.connect();
    try {
      await starting.query('begin');
      await lockQuotas(starting, { account: uuidOf('apiKey', id) ?? '', quotas: on.deps.quotas, of: ['openRuns'] });
      const firing = recurOnPostgres(on.pool, on.deps.quotas);
      await untilOneWaits(on.pool);
      await starting.query(
        `insert into run_starts (partition_id, due_at, id, campaign, revision) values (0, now(), $1, $1, 1)`,
        [uuidOf('campaign', other)],
      );
      await starting.query('commit');
      await firing;
    } finally {
      starting.release();
    }
    expect(await outcomesOf(recurring)).toEqual(['fired', 'quota']);
  });

  it('wait for the previous run, and then for a free place in the quota', async () => {
    const { secret } = await makeManager();
    const recurring = await started(secret, hourly('buffer-one'));
    await nextHour();
    await nextHour();
    expect(await outcomesOf(recurring)).toEqual(['fired', 'buffered']);
    // The previous run has ended, and other runs of the campaign occupy every place.
    await on.pool.query('delete from run_starts');
    const { rows } = await on.pool.query<{ id: string }>('select id from campaigns');
    const seed = { campaignId: rows[0]?.id ?? '', revision: 1, state: 'running' as const, startedAt: new Date(1) };
    for (const scheduledFor of [new Date(1), new Date(2)]) await on.deps.rows.addRun({ ...seed, scheduledFor });
    expect((await fireBufferedOnPostgres(on.pool, on.deps.quotas)).fired).toEqual([]);
    expect(await outcomesOf(recurring)).toEqual(['fired', 'buffered']);
    await on.pool.query(`update runs set state = 'completed', ended_at = now() where scheduled_for = $1`, [
      new Date(1),
    ]);
    expect((await fireBufferedOnPostgres(on.pool, on.deps.quotas)).fired).toHaveLength(1);
  });

  it('are refused if they are started by hand, or if their schedule is enabled again, while no place is free', async () => {
    const { secret } = await makeManager();
    const recurring = await started(secret, hourly('allow'));
    for (let time = 0; time < 2; time++) {
      expect((await control(secret, recurring, 'run-now')).statusCode).toBe(200);
      // A start at the same moment would be the same run.
      await on.passTime(1000);
    }
    expect(await refusedBy(control(secret, recurring, 'run-now'))).toEqual(refused);
    expect((await control(secret, recurring, 'disable')).statusCode).toBe(200);
    expect(await on.rowsOf('run_starts')).toEqual([]);
    for (let campaign = 0; campaign < 2; campaign++) await started(secret, later);
    expect(await refusedBy(control(secret, recurring, 'enable'))).toEqual(refused);
    expect(await on.rowsOf('schedules')).toMatchObject([{ state: 'disabled' }]);
  });
});

it('a retry of failed users counts as an open run', async () => {
  const { id, secret } = await makeManager();
  const subject = createPostgresExecutionStores(on);
  const { runId, feedId } = await startFedRun(subject, [['u1', 'u2']]);
  await on.pool.query('update campaigns set account = $1', [uuidOf('apiKey', id)]);
  const ledger = subject.ledgerOf('a');
  await record(ledger, doneOf(await claimOne(ledger, { feedId, batchNo: 1, step: 1 }), { failures: [failed('u1')] }));
  await subject.runs.finish(runId, 'completed_with_failures', null);
  const { rows } = await on.pool.query<{ campaign: string }>('select campaign from runs');
  for (const scheduledFor of [new Date(1), new Date(2)]) {
    const seed = { campaignId: rows[0]?.campaign ?? '', revision: 1, scheduledFor, state: 'running' as const };
    await on.deps.rows.addRun({ ...seed, startedAt: scheduledFor });
  }
  const retry = () => askAs(undefined, 'POST', `/v1/runs/${publicId('run', runId)}/retry-failed`);
  expect(await refusedBy(retry())).toMatchObject({ statusCode: 429, variable: 'QUOTA_OPEN_RUNS', figure: 2 });
  await on.pool.query(`update runs set state = 'completed', ended_at = now() where scheduled_for = $1`, [new Date(1)]);
  expect((await retry()).statusCode).toBe(201);
  expect(await usedBy(secret)).toMatchObject({ openRuns: 2 });
});
