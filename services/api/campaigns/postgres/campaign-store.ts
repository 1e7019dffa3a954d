import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import type { CampaignAbout } from '../../../../shared/contracts/campaigns/about-campaign.ts';
import type { CampaignOrigin } from '../../../../shared/contracts/campaigns/campaign-origins.ts';
import type { CampaignDefinition, Canary } from '../../../../shared/contracts/campaigns/campaigns.ts';
import type { KeptSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import type { RecurrenceDefinition } from '../../../../shared/contracts/schedules/recurrences.ts';
import { partitionOf } from '../../../../shared/domain/partitioning.ts';
import type { RunState } from '../../../../shared/domain/run/run-states.ts';
import { statementOf } from '../../../../shared/postgres/connection/statement.ts';
import { lockWorkCalendar } from '../../../../shared/postgres/schedules/work-calendars.ts';
import { withinQuota } from '../../../../shared/postgres/registry/account-quotas.ts';
import type { Quotas } from '../../../../shared/domain/quotas.ts';
import { firstTimesOf } from '../../schedules/postgres/schedule-store.ts';
import { neededNone, type ClearedBy } from '../../../../shared/domain/approval/clearance.ts';
import { newestOfCampaign, recordOfApproval, type ApprovalJson } from '../approvals/postgres/approval-rows.ts';
import type { Requester } from '../../../../shared/domain/run/requester.ts';
import type { CampaignRecord, CampaignState, CampaignStore, Writer } from '../campaign-store.port.ts';
import { redefine } from './redefine-campaign.ts';

export interface CampaignStoreDeps {
  pool: Pool;
  quotas: Quotas;
}

export function createCampaignStore({ pool, quotas }: CampaignStoreDeps): CampaignStore {
  const changes = (by: Writer | null) => ({ account: by?.account ?? null, quotas, of: ['campaignChanges'] as const });

  async function get(campaignId: string): Promise<CampaignRecord | undefined> {
    const { rows } = await pool.query<CampaignRow>(`${selectCampaigns} where c.id = $1`, [campaignId]);
    return rows[0] && recordOf(rows[0]);
  }

  /**
   * Runs the work within the quota of open runs. Does nothing for a started campaign, because that already counts in
   * the quota.
   */
  async function starting(campaignId: string, work: (client: PoolClient) => Promise<unknown>): Promise<void> {
    const { rows } = await pool.query<{ account: string | null }>(selectDraft, [campaignId]);
    const [draft] = rows;
    if (draft) await withinQuota(pool, { account: draft.account, quotas, of: ['openRuns'] }, work);
  }

  return {
    get,

    create: async (definition, campaignId = uuidv7(), by = null, about = {}, origin = null) => {
      const known = await get(campaignId);
      if (known) return known;
      const facts = { campaignId, name: definition.name, definition, about, origin };
      const writer = { account: by?.account ?? null, writtenBy: by?.key ?? null };
      await withinQuota(pool, changes(by), (client) => client.query(insertCampaign.with({ ...facts, ...writer })));
      // The campaign is read again, because responses show it as it is stored: jsonb reorders the keys of objects.
      const record = await get(campaignId);
      if (!record) throw new Error(`campaign ${campaignId} was not inserted`);
      return record;
    },

    redefine: async (campaignId, definition, revision, by = null, aboutChange) => {
      const isWritten = await withinQuota(pool, changes(by), (client) =>
        redefine(client, campaignId, { definition, revision, by, aboutChange }),
      );
      const record = await get(campaignId);
      return record && { isWritten, record };
    },

    describe: async (campaignId, { before, after }) => {
      const { rowCount } = await pool.query(describeCampaign, [campaignId, before, after]);
      return rowCount === 1;
    },

    start: async (campaignId, dueAt, { policy, approvalId } = neededNone, asker = null, canary = null) => {
      await starting(campaignId, (client) =>
        client.query(
          startCampaign.with({
            campaignId,
            startId: uuidv7(),
            partition: partitionOf(campaignId),
            dueAt,
            policy,
            approvalId,
            asker,
            settings: canary ? { canary } : {},
          }),
        ),
      );
      return get(campaignId);
    },

    startRecurring: async (campaignId, recurrence, clearedBy = neededNone) => {
      await starting(campaignId, (client) => startRecurring(client, campaignId, recurrence, clearedBy));
      return get(campaignId);
    },

    unschedule: async (campaignId) => {
      await pool.query(unscheduleCampaign, [campaignId]);
      return get(campaignId);
    },
  };
}

export async function selectCampaignRecords(
  pool: Pool,
  campaignIds: readonly string[],
): Promise<Map<string, CampaignRecord>> {
  const { rows } = await pool.query<CampaignRow>(`${selectCampaigns} where c.id = any($1::uuid[])`, [campaignIds]);
  return new Map(rows.map((row) => [row.id, recordOf(row)]));
}

async function startRecurring(
  client: PoolClient,
  campaignId: string,
  recurrence: RecurrenceDefinition,
  { policy, approvalId }: ClearedBy,
): Promise<void> {
  const values = [campaignId, policy, approvalId];
  const calendars = await lockWorkCalendar(client, recurrence);
  const { rows } = await client.query<{ name: string; now: Date }>(scheduleCampaign, values);
  const [started] = rows;
  if (!started) return;
  const nowMs = started.now.getTime();
  const [next, look] = firstTimesOf({ definition: recurrence, calendars }, nowMs, nowMs);
  const definition = JSON.stringify({ recurrence } satisfies KeptSchedule);
  await client.query(insertSchedule.with({ scheduleId: uuidv7(), campaignId, ...started, definition, next, look }));
}

const describeCampaign = `
  update campaigns set about = $3::jsonb, updated_at = now() where id = $1 and about = $2::jsonb`;

const selectDraft = `select account from campaigns where id = $1 and state = 'draft'`;

const scheduleCampaign = `
  update campaigns set state = 'scheduled', updated_at = now()
  where id = $1 and state = 'draft' and archived_at is null and is_start_allowed(id, revision, $2, $3)
  returning name, now() as now`;

interface NewSchedule {
  scheduleId: string;
  name: string;
  campaignId: string;
  definition: string;
  /** Time of the start, in whole milliseconds. Only occurrences after it start runs. */
  now: Date;
  next: string | null;
  look: string;
}

const insertSchedule = statementOf<NewSchedule>(
  'insert-campaign-schedule',
  ($) => `
  insert into schedules (id, name, campaign, definition, created_at, high_water, state, next_at, next_check_at)
  values (${$('scheduleId')}, ${$('name')}, ${$('campaignId')}, ${$('definition')}::jsonb, ${$('now')}::timestamptz,
    ${$('now')}::timestamptz, 'active', ${$('next')}, ${$('look')})`,
);

interface NewCampaign {
  campaignId: string;
  name: string;
  definition: CampaignDefinition;
  account: string | null;
  writtenBy: string | null;
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
    insert into budgets (campaign, country, units, currency)
    select c.id, k.country, k.units, k.currency from c, budgets_in(${$('definition')}::jsonb) k
  )
  insert into revisions (campaign, revision, definition, account, written_by)
  select id, revision, ${$('definition')}, ${$('account')}, ${$('writtenBy')} from c`,
);

interface NewStart {
  campaignId: string;
  startId: string;
  partition: number;
  /** Time of the start; null means now. */
  dueAt: Date | null;
  asker: Requester | null;
  /** Settings of the campaign's run, which override the definition. */
  settings: { canary?: Canary };
}

/**
 * Schedules a campaign and creates its job in one statement, so that neither exists without the other. The due time has
 * whole milliseconds, because it becomes `scheduled_for` of the run, which callers send back to the API.
 */
const startCampaign = statementOf<ClearedBy & NewStart>(
  'start-campaign',
  ($) => `
  with started as (
    update campaigns set state = 'scheduled', updated_at = now()
    where id = ${$('campaignId')} and state = 'draft' and archived_at is null
      and is_start_allowed(id, revision, ${$('policy')}, ${$('approvalId')})
    returning id, revision
  )
  insert into run_starts (partition_id, due_at, id, campaign, revision, requested_by, settings)
  select ${$('partition')}, date_trunc('milliseconds', coalesce(${$('dueAt')}::timestamptz, now())), ${$('startId')},
    id, revision, ${$('asker')}::jsonb, ${$('settings')}::jsonb
  from started`,
);

/**
 * Makes the campaign a draft again. If the scheduler takes the job at the same moment, the statement waits and then
 * deletes nothing.
 */
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
    -- The current budgets replace those of the definition, because budgets may be raised while runs continue.
    r.definition || coalesce(budgets_of(c.id), '{}') as definition, least(j.due_at, s.next_at) as due_at,
    s.id as schedule, l.id as run, l.state as run_state, (${newestOfCampaign('c.id')}) as approval
  from campaigns c
  join revisions r on r.campaign = c.id and r.revision = c.revision
  left join schedules s on s.campaign = c.id
  left join lateral (select min(due_at) as due_at from run_starts where campaign = c.id) j on true
  left join lateral (select id, state from runs where campaign = c.id and parent is null and kind = 'live'
    order by scheduled_for desc limit 1) l on true`;

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
  approval: ApprovalJson | null;
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
    approval: row.approval && recordOfApproval(row.approval),
  };
}
