import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { CampaignAbout } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { KeptSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import type { RecurrenceDefinition } from '../../../../shared/contracts/schedules/recurrences.ts';
import { partitionOf } from '../../../../shared/domain/job/partitioning.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { withinQuota } from '../../../../shared/postgres/registry/account-quotas.ts';
import type { Quotas } from '../../../../shared/domain/quotas.ts';
import { scheduleTimesOf } from '../../schedules/postgres/schedule-store.ts';
import type { CampaignRecord, CampaignState, CampaignStore, SaidAbout } from '../campaign-store.port.ts';

export interface CampaignStoreDeps {
  pool: Pool;
  quotas: Quotas;
}

export function createCampaignStore({ pool, quotas }: CampaignStoreDeps): CampaignStore {
  const changes = (account: string | null) => ({ account, quotas, of: ['campaignChanges'] as const });

  async function get(campaignId: string): Promise<CampaignRecord | undefined> {
    const { rows } = await pool.query<CampaignRow>(`${selectCampaigns} where c.id = $1`, [campaignId]);
    return rows[0] && recordOf(rows[0]);
  }

  /** One that was started before has its room. */
  async function starting(campaignId: string, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
    const { rows } = await pool.query<{ account: string | null }>(selectDraft, [campaignId]);
    const [draft] = rows;
    if (draft) await withinQuota(pool, { account: draft.account, quotas, of: ['openRuns'] }, work);
  }

  return {
    get,

    create: async (definition, campaignId = uuidv7(), account = null, about = {}, origin = null) => {
      const known = await get(campaignId);
      if (known) return known;
      await withinQuota(pool, changes(account), (client) =>
        client.query(insertCampaign.with({ campaignId, name: definition.name, definition, account, about, origin })),
      );
      // As it is stored, which is how it will be shown from now on: jsonb orders the keys of objects anew.
      const record = await get(campaignId);
      if (!record) throw new Error(`campaign ${campaignId} was not inserted`);
      return record;
    },

    redefine: async (campaignId, definition, revision, account = null, said) => {
      await withinQuota(pool, changes(account), (client) =>
        redefine(client, campaignId, { definition, revision, account, said }),
      );
      return get(campaignId);
    },

    describe: async (campaignId, { before, after }) => {
      const { rowCount } = await pool.query(describeCampaign, [campaignId, before, after]);
      return rowCount === 1;
    },

    start: async (campaignId, dueAt) => {
      await starting(campaignId, (client) =>
        client.query(startCampaign, [campaignId, uuidv7(), partitionOf(campaignId), dueAt]),
      );
      return get(campaignId);
    },

    startRecurring: async (campaignId, recurrence) => {
      await starting(campaignId, (client) => startRecurring(client, campaignId, recurrence));
      return get(campaignId);
    },

    unschedule: async (campaignId) => {
      await pool.query(unscheduleCampaign, [campaignId]);
      return get(campaignId);
    },
  };
}

/** Those of the ids that there are, by id. */
export async function selectCampaignRecords(
  pool: Pool,
  campaignIds: readonly string[],
): Promise<Map<string, CampaignRecord>> {
  const { rows } = await pool.query<CampaignRow>(`${selectCampaigns} where c.id = any($1::uuid[])`, [campaignIds]);
  return new Map(rows.map((row) => [row.id, recordOf(row)]));
}

interface NewRevision {
  definition: CampaignDefinition;
  /** The one before. */
  revision: number;
  account: string | null;
  said: SaidAbout | undefined;
}

async function redefine(
  client: PoolClient,
  campaignId: string,
  { definition, revision, account, said }: NewRevision,
): Promise<void> {
  const { before = null, after = null } = said ?? {};
  const { rowCount } = await client.query(
    nextRevision.with({ campaignId, revision, name: definition.name, before, after }),
  );
  if (rowCount === 0) return;
  await client.query('delete from budgets where campaign = $1', [campaignId]);
  await client.query(insertRevision, [campaignId, revision + 1, definition, account]);
}

async function startRecurring(client: PoolClient, campaignId: string, recurrence: RecurrenceDefinition): Promise<void> {
  const { rows } = await client.query<{ name: string; now: Date }>(scheduleCampaign, [campaignId]);
  const [started] = rows;
  if (!started) return;
  const nowMs = started.now.getTime();
  const [next, look] = scheduleTimesOf(recurrence, nowMs, nowMs);
  const definition = JSON.stringify({ recurrence } satisfies KeptSchedule);
  await client.query(insertSchedule.with({ scheduleId: uuidv7(), campaignId, ...started, definition, next, look }));
}

interface NextRevision extends Record<'before' | 'after', CampaignAbout | null> {
  campaignId: string;
  revision: number;
  name: string;
}

const nextRevision = statementOf<NextRevision>(
  'next-campaign-revision',
  ($) => `
  update campaigns set revision = revision + 1, name = ${$('name')}, about = coalesce(${$('after')}::jsonb, about),
    updated_at = now()
  where id = ${$('campaignId')} and revision = ${$('revision')} and state = 'draft' and archived_at is null
    and about = coalesce(${$('before')}::jsonb, about)`,
);

const describeCampaign = `
  update campaigns set about = $3::jsonb, updated_at = now() where id = $1 and about = $2::jsonb`;

/**
 * A draft has spent nothing: its budgets are made anew, in a statement of their own because the old ones have to be
 * gone before.
 */
const insertRevision = `
  with b as (
    insert into budgets (campaign, country, units)
    select $1::uuid, k.country, k.units from jsonb_to_recordset($3::jsonb -> 'budgets') k (country text, units bigint)
  )
  insert into campaign_revisions (campaign, revision, definition, account) values ($1, $2, $3, $4)`;

const selectDraft = `select account from campaigns where id = $1 and state = 'draft'`;

const scheduleCampaign = `
  update campaigns set state = 'scheduled', updated_at = now()
  where id = $1 and state = 'draft' and archived_at is null
  returning name, now() as now`;

interface NewSchedule {
  scheduleId: string;
  name: string;
  campaignId: string;
  definition: string;
  /** In whole milliseconds: what recurs does so after it. */
  now: Date;
  next: string | null;
  look: string;
}

const insertSchedule = statementOf<NewSchedule>(
  'insert-campaign-schedule',
  ($) => `
  insert into schedules (id, name, campaign, definition, created_at, high_water, state, next_at, look_at)
  values (${$('scheduleId')}, ${$('name')}, ${$('campaignId')}, ${$('definition')}::jsonb, ${$('now')}::timestamptz,
    ${$('now')}::timestamptz, 'active', ${$('next')}, ${$('look')})`,
);

interface NewCampaign {
  campaignId: string;
  name: string;
  definition: CampaignDefinition;
  account: string | null;
  about: CampaignAbout;
  origin: CampaignOrigin | null;
}

const insertCampaign = statementOf<NewCampaign>(
  'insert-campaign',
  ($) => `
  with c as (
    insert into campaigns (id, name, state, revision, account, about, origin)
    values (${$('campaignId')}, ${$('name')}, 'draft', 1, ${$('account')}, ${$('about')}, ${$('origin')})
    on conflict (id) do nothing returning id, revision
  ), b as (
    insert into budgets (campaign, country, units)
    select c.id, k.country, k.units
    from c, jsonb_to_recordset(${$('definition')}::jsonb -> 'budgets') k (country text, units bigint)
  )
  insert into campaign_revisions (campaign, revision, definition, account)
  select id, revision, ${$('definition')}, ${$('account')} from c`,
);

/**
 * One statement, so that a campaign is scheduled if and only if its job exists. Whole milliseconds, because the due
 * time becomes the run's `scheduled_for`, goes over HTTP, and must still be the same when it comes back.
 */
const startCampaign = `
  with started as (
    update campaigns set state = 'scheduled', updated_at = now()
    where id = $1 and state = 'draft' and archived_at is null
    returning id, revision
  )
  insert into run_starts (partition_id, due_at, id, campaign, revision)
  select $3, date_trunc('milliseconds', coalesce($4::timestamptz, now())), $2, id, revision from started`;

/** A job that the scheduler takes at this moment is waited for, and is gone then. */
const unscheduleCampaign = `
  with fired as (
    select s.campaign from schedules s where s.campaign = $1 and exists (select from occurrences where schedule = s.id)
  ), gone as (
    delete from run_starts where campaign = $1 and not exists (select from fired) returning campaign
  ), stopped as (
    delete from schedules where campaign = $1 and not exists (select from fired) returning campaign
  )
  update campaigns set state = 'draft', updated_at = now()
  where id = $1 and state = 'scheduled' and id in (select campaign from gone union all select campaign from stopped)`;

const selectCampaigns = `
  select c.id, c.revision, c.state, c.about, c.origin, c.created_at, c.archived_at,
    r.definition || coalesce(b.budgets, '{}') as definition, least(j.due_at, s.next_at) as due_at,
    s.id as schedule, l.id as run, l.state as run_state
  from campaigns c
  join campaign_revisions r on r.campaign = c.id and r.revision = c.revision
  left join lateral (
    -- As they are now: they may be raised while runs go on.
    select jsonb_build_object('budgets', jsonb_agg(jsonb_build_object('country', country, 'units', units)
      order by country)) as budgets
    from budgets where campaign = c.id having count(*) > 0
  ) b on true
  left join schedules s on s.campaign = c.id
  left join lateral (select min(due_at) as due_at from run_starts where campaign = c.id) j on true
  left join lateral (select id, state from runs where campaign = c.id and parent is null order by scheduled_for desc
    limit 1) l on true`;

interface CampaignRow {
  id: string;
  revision: number;
  state: CampaignState;
  about: CampaignAbout;
  origin: CampaignOrigin | null;
  created_at: Date;
  archived_at: Date | null;
  definition: CampaignDefinition;
  due_at: Date | null;
  schedule: string | null;
  run: string | null;
  run_state: RunState | null;
}

function recordOf(row: CampaignRow): CampaignRecord {
  return {
    campaignId: row.id,
    revision: row.revision,
    state: row.state,
    definition: row.definition,
    about: row.about,
    origin: row.origin,
    createdAt: row.created_at,
    archivedAt: row.archived_at,
    nextRunAt: row.due_at,
    scheduleId: row.schedule,
    latestRun: row.run !== null && row.run_state !== null ? { runId: row.run, state: row.run_state } : null,
  };
}
