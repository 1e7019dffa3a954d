import { isDeepStrictEqual } from 'node:util';
import { v7 as uuidv7 } from 'uuid';
import type { CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type {
  CampaignRecord,
  CampaignStore,
  AboutChange,
} from '../../../services/api/campaigns/campaign-store.port.ts';
import { atOnce } from './at-once.ts';
import { occurrencesOfRow } from './fire-schedules.ts';
import type { MemoryDatabase } from './memory-database.ts';
import type { CampaignRow } from './run-tables.ts';
import { addMemorySchedule } from './schedule-store.ts';
import type { ScheduleRow } from './schedule-tables.ts';

export function createMemoryCampaignStore({ database }: { database: MemoryDatabase }): CampaignStore {
  const { campaigns, jobs, clock } = database;

  function get(campaignId: string): CampaignRecord | undefined {
    const row = campaigns.get(campaignId);
    return row && recordOf(row, database);
  }

  return {
    get: (campaignId) => atOnce(() => get(campaignId)),

    create: (definition, campaignId = uuidv7(), _by = null, about = {}, origin = null) =>
      atOnce(() => {
        const existing = get(campaignId);
        if (existing) return existing;
        const row: CampaignRow = {
          id: campaignId,
          revision: 1,
          state: 'draft',
          definition: structuredClone(definition),
          about: structuredClone(about),
          origin,
          createdAt: clock.now(),
        };
        campaigns.set(row.id, row);
        addBudgets(row, database);
        return recordOf(row, database);
      }),

    redefine: (campaignId, definition, revision, _by = null, reported) =>
      atOnce(() => {
        const row = campaigns.get(campaignId);
        if (!row) return undefined;
        const isWritten = row.state === 'draft' && row.revision === revision && (!reported || saysNow(row, reported));
        if (isWritten) {
          row.revision += 1;
          if (reported) row.about = structuredClone(reported.after);
          row.definition = structuredClone(definition);
          for (const [key, budget] of database.budgets)
            if (budget.campaignId === campaignId) database.budgets.delete(key);
          addBudgets(row, database);
        }
        return { isWritten, record: recordOf(row, database) };
      }),

    describe: (campaignId, report) =>
      atOnce(() => {
        const row = campaigns.get(campaignId);
        if (!row || !saysNow(row, report)) return false;
        row.about = structuredClone(report.after);
        return true;
      }),

    start: (campaignId, dueAt, _clearedBy, _asker, canary = null) =>
      atOnce(() => {
        const row = campaigns.get(campaignId);
        if (row?.state === 'draft') {
          row.state = 'scheduled';
          const [id, dueAtMs] = [uuidv7(), dueAt?.getTime() ?? clock.nowMs()];
          jobs.set(id, { id, campaignId, revision: row.revision, dueAtMs, settings: canary ? { canary } : {} });
        }
        return get(campaignId);
      }),

    startRecurring: (campaignId, recurrence) =>
      atOnce(() => {
        const row = campaigns.get(campaignId);
        if (row?.state !== 'draft') return get(campaignId);
        row.state = 'scheduled';
        addMemorySchedule(database, { name: row.definition.name, campaignId, definition: { recurrence } });
        return get(campaignId);
      }),

    unschedule: (campaignId) =>
      atOnce(() => {
        const row = campaigns.get(campaignId);
        const job = [...jobs.values()].find((each) => each.campaignId === campaignId);
        const schedule = scheduleOf(database, campaignId);
        const hasFired = schedule !== undefined && occurrencesOfRow(database, schedule).length > 0;
        if (row?.state === 'scheduled' && (job ?? schedule) && !hasFired) {
          row.state = 'draft';
          if (job) jobs.delete(job.id);
          if (schedule) database.recurring.schedules.delete(schedule.id);
        }
        return get(campaignId);
      }),
  };
}

function saysNow({ about }: CampaignRow, { before }: AboutChange): boolean {
  return isDeepStrictEqual(about, before);
}

function addBudgets({ id, definition }: CampaignRow, { budgets }: MemoryDatabase): void {
  for (const { country, units = 0 } of definition.budgets ?? [])
    budgets.set(`${id}/${country}`, { campaignId: id, country, units, pastUnits: 0 });
}

function scheduleOf({ recurring }: MemoryDatabase, campaignId: string): ScheduleRow | undefined {
  return [...recurring.schedules.values()].find((row) => row.campaignId === campaignId);
}

export function recordOf(row: CampaignRow, database: MemoryDatabase): CampaignRecord {
  const { jobs, runs } = database;
  const schedule = scheduleOf(database, row.id);
  const dueAtMs = [...jobs.values()].filter((job) => job.campaignId === row.id).map((job) => job.dueAtMs);
  if (schedule && schedule.nextAtMs !== null) dueAtMs.push(schedule.nextAtMs);
  const [latestRun] = [...runs.values()]
    .filter((run) => run.campaignId === row.id && run.parentId === null)
    .sort((a, b) => b.scheduledFor.getTime() - a.scheduledFor.getTime());
  return {
    campaignId: row.id,
    revision: row.revision,
    state: row.state,
    definition: { ...structuredClone(row.definition), ...budgetsOf(row, database) },
    about: structuredClone(row.about),
    origin: row.origin,
    createdAt: row.createdAt,
    archivedAt: null,
    scheduleId: schedule?.id ?? null,
    nextRunAt: dueAtMs.length === 0 ? null : new Date(Math.min(...dueAtMs)),
    latestRun: latestRun ? { runId: latestRun.id, state: latestRun.state } : null,
    approval: null,
  };
}

/** Returns the current budgets of the campaign. */
function budgetsOf({ id }: CampaignRow, { budgets }: MemoryDatabase): Pick<CampaignDefinition, 'budgets'> {
  const own = [...budgets.values()].filter(({ campaignId }) => campaignId === id);
  if (own.length === 0) return {};
  const ordered = own.toSorted((a, b) => (a.country < b.country ? -1 : 1));
  return { budgets: ordered.map(({ country, units }) => ({ country, units })) };
}
