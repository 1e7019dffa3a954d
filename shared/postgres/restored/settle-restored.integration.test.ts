import { v7 as uuidv7 } from 'uuid';
import { beforeEach, describe, expect, it } from 'vitest';
import { databaseForFile } from '../../../test/support/file-database.ts';
import { createPostgresRunRows } from '../../../test/support/postgres-run-rows.ts';
import { restoredReason } from '../../domain/run/restored-runs.ts';
import type { RunState } from '../../domain/run/run-states.ts';
import { createPool } from '../connection/pool.ts';
import { connectedServices, readRestored, settleRestored } from './settle-restored.ts';

const database = databaseForFile();
beforeEach(() => database.empty());

const now = new Date();
const definition = { chain: [{ action: 'award-reward' }, { action: 'send-message' }], deadlineSeconds: 3600 };

async function rowsOf(text: string, values: unknown[] = []): Promise<unknown[]> {
  return (await database.pool.query<object>(text, values)).rows;
}

async function addCampaign(): Promise<string> {
  const id = uuidv7();
  await rowsOf(`insert into campaigns (id, name, state, revision) values ($1, 'Weekend', 'scheduled', 1)`, [id]);
  await rowsOf(`insert into revisions (campaign, revision, definition) values ($1, 1, $2)`, [
    ...[id, JSON.stringify(definition)],
  ]);
  return id;
}

async function addRun(state: RunState, more: { startedAt?: Date; endedAt?: Date; kind?: 'dry-run' } = {}) {
  return await createPostgresRunRows(database).addRun({
    campaignId: await addCampaign(),
    revision: 1,
    scheduledFor: now,
    state,
    ...more,
  });
}

const settle = () => settleRestored(database.pool, 'a test');

describe('the settlement of a restored database', () => {
  it('pauses runs that may have made calls since the restored moment, with the reason, but neither dry runs nor ended runs', async () => {
    const begun = await addRun('running', { startedAt: now });
    const notBegun = await addRun('preparing');
    const others = [
      await addRun('running', { startedAt: now, kind: 'dry-run' }),
      await addRun('completed', { startedAt: now, endedAt: now }),
    ];

    const { runs } = await settle();

    expect(runs).toMatchObject([
      { runId: begun, campaign: 'Weekend', state: 'pausing', hasBegun: true, classes: [null, null] },
      { runId: notBegun, state: 'paused', hasBegun: false },
    ]);
    expect(await rowsOf('select kind from run_events where run = $1 order by kind', [notBegun])).toEqual([
      { kind: 'auto-paused' },
      { kind: 'paused' },
    ]);
    expect(await rowsOf('select state from runs where id = any($1) order by id', [others])).toEqual([
      { state: 'running' },
      { state: 'completed' },
    ]);
  });

  it('converts a due start into a paused run once, and keeps a future start', async () => {
    const [due, toCome] = [await addCampaign(), await addCampaign()];
    const start = `insert into run_starts (partition_id, due_at, id, campaign, revision) values (0, $1, $2, $3, 1)`;
    await rowsOf(start, [new Date(now.getTime() - 60_000), uuidv7(), due]);
    await rowsOf(start, [new Date(now.getTime() + 3_600_000), uuidv7(), toCome]);

    expect(await settle()).toMatchObject({ starts: 1, runs: [{ campaignId: due, state: 'paused', hasBegun: false }] });
    expect(await settle()).toMatchObject({ starts: 0, runs: [{ campaignId: due }] });
    expect(await rowsOf('select campaign from run_starts')).toEqual([{ campaign: toCome }]);
    expect(await rowsOf('select distinct state_reason as reason from runs')).toEqual([{ reason: restoredReason }]);
  });

  it('skips the past occurrences of campaigns, but not of clients, because their jobs keep their ids', async () => {
    const insert = `insert into schedules (id, name, campaign, client, definition, state, high_water, next_check_at)
      values ($1, 's', $2, $3, '{}', 'active', now() - interval '1 hour', now() + interval '1 hour')`;
    await rowsOf(insert, [uuidv7(), await addCampaign(), null]);
    await rowsOf(insert, [uuidv7(), null, uuidv7()]);

    expect(await settle()).toMatchObject({ schedules: 1 });
    expect(
      await rowsOf(`select campaign is not null as "ofCampaign", skip_cause as cause,
        next_check_at <= now() as "isLookedAt"
        from schedules order by 1 desc`),
    ).toEqual([
      { ofCampaign: true, cause: 'restored', isLookedAt: true },
      { ofCampaign: false, cause: null, isLookedAt: false },
    ]);
  });

  it('raises fencing tokens and epochs, so that old processes cannot write', async () => {
    const run = await addRun('running', { startedAt: now });
    const feed = uuidv7();
    await rowsOf(
      `insert into feeds (feed, run, country, segment, snapshot, token) values ($1, $2, 'SG', 's', '1', 7)`,
      [...[feed, run]],
    );
    await rowsOf(
      `insert into batch_steps (feed, batch_no, step, state, epoch) values ($1, 1, 1, 3, 2), ($1, 2, 1, 1, 2)`,
      [feed],
    );
    await rowsOf(`insert into leases (name, owner, token, expires_at) values ('due-jobs', 'old', 41, now())`);

    await settle();

    expect(await rowsOf('select token from feeds')).toEqual([{ token: '1000007' }]);
    expect(await rowsOf('select token from leases')).toEqual([{ token: '1000041' }]);
    // Recorded steps keep their epoch.
    expect(await rowsOf('select epoch from batch_steps order by batch_no')).toEqual([
      { epoch: 2 },
      { epoch: 1_000_002 },
    ]);
  });

  it('writes an audit log entry and counts the runs that wait for a person', async () => {
    expect(await readRestored(database.pool)).toBeUndefined();
    const run = await addRun('preparing');
    await settle();
    expect(await rowsOf('select route, detail from audit_log')).toEqual([
      { route: '/restored', detail: { by: 'a test', runs: 1, starts: 0, schedules: 0 } },
    ]);
    expect(await readRestored(database.pool)).toMatchObject({ open: 1 });
    await rowsOf(`update runs set state = 'cancelled', ended_at = now() where id = $1`, [run]);
    expect(await readRestored(database.pool)).toMatchObject({ open: 0 });
  });

  it('lists connected services by name, without commands', async () => {
    const worker = database.open(createPool, { applicationName: 'muster-worker' });
    const doctor = database.open(createPool, { applicationName: 'muster-doctor' });
    await Promise.all([worker.query('select 1'), doctor.query('select 1')]);
    expect(await connectedServices(database.pool)).toEqual(['muster-worker']);
  });
});
