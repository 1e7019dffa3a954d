import type { CalendarCampaign, CalendarStart } from '../../../shared/contracts/campaigns/calendar.ts';
import type { Catalogue } from '../../../shared/contracts/endpoints/engine-config.ts';
import type { RunProgress } from '../../../shared/contracts/runs/runs.ts';
import { localStartMs } from '../../../shared/contracts/campaigns/local-starts.ts';
import { recurrenceOf } from '../../../shared/contracts/schedules/recurrences.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { nextFires } from '../../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendars } from '../../../shared/domain/recurrence/work-calendars.ts';
import { plannedStartOf } from '../schedules/planned-start.ts';
import type {
  CalendarRun,
  CampaignRecord,
  CampaignsOfTime,
  PlannedRecurrence,
  UsersAtCap,
} from '../campaigns/parts.ts';

/** Maximum number of starts of each campaign: enough for each hour of a week. */
const startsEach = 200;
/** Maximum number of starts of all campaigns, because each start must be computed in its time zone. */
const startsOfAll = 4000;
export const campaignsAtMost = 1000;

export interface CalendarTime {
  from: Date;
  until: Date;
  now: Date;
}

/** Returns the past and planned starts of each campaign, sorted by the first start. */
export function calendarItems(
  found: CampaignsOfTime,
  open: ReadonlyMap<string, RunProgress>,
  time: CalendarTime,
): { items: CalendarCampaign[]; isCut: boolean } {
  const starts = new Map<string, CalendarStart[]>();
  const more = new Set<string>();
  const add = (campaignId: string, ...added: CalendarStart[]) =>
    starts.set(campaignId, [...(starts.get(campaignId) ?? []), ...added]);

  for (const run of found.runs) add(run.campaignId, startOfRun(run, open.get(run.runId), found));
  for (const { campaignId, dueAt } of found.starts) add(campaignId, planned(campaignId, dueAt, 'scheduled', found));
  for (const { campaignId } of found.waiting) {
    const record = found.records.get(campaignId);
    const startsAt = record && plannedStartOf(record.definition);
    if (startsAt && startsAt >= time.from && startsAt < time.until)
      add(campaignId, planned(campaignId, startsAt, 'in_review', found));
  }
  let left = startsOfAll;
  for (const recurring of found.recurring) {
    const count = Math.min(startsEach, left);
    const fires =
      count === 0
        ? []
        : firesOf(recurring, found.records.get(recurring.campaignId), {
            ...time,
            calendars: found.workCalendars,
            count: count + 1,
          });
    if (count === 0 || fires.length > count) more.add(recurring.campaignId);
    left -= Math.min(fires.length, count);
    const plannedStarts = fires.slice(0, count).map((at) => planned(recurring.campaignId, at, 'scheduled', found));
    add(recurring.campaignId, ...plannedStarts);
  }

  const items = [...starts].flatMap(([campaignId, all]) => {
    const record = found.records.get(campaignId);
    return record && all.length > 0 ? [itemOf(record, all, more.has(campaignId), found.atCap.get(campaignId))] : [];
  });
  items.sort((a, b) => (a.starts[0]?.at ?? '').localeCompare(b.starts[0]?.at ?? ''));
  return { items: items.slice(0, campaignsAtMost), isCut: items.length > campaignsAtMost || more.size > 0 };
}

function itemOf(
  { campaignId, definition, about }: CampaignRecord,
  starts: CalendarStart[],
  moreStarts: boolean,
  atCap: UsersAtCap | undefined,
): CalendarCampaign {
  const { name, countries, chain, paceUsersPerSecond, schedule } = definition;
  const isPlanned = starts.some(({ runId }) => runId === null);
  return {
    campaignId: publicId('campaign', campaignId),
    name,
    owner: about.owner ?? null,
    countries,
    actions: [...new Set(chain.map(({ action }) => action))],
    paceUsersPerSecond: paceUsersPerSecond ?? null,
    recurs: schedule.type === 'recurring',
    atCap: atCap && isPlanned ? { users: atCap.users, at: atCap.at.toISOString() } : null,
    starts: starts.toSorted((a, b) => a.at.localeCompare(b.at)),
    moreStarts,
  };
}

function startOfRun(run: CalendarRun, progress: RunProgress | undefined, { past, records }: CampaignsOfTime) {
  const { runId, campaignId, state, scheduledFor, startedAt, endedAt, users } = run;
  const at = startedAt ?? scheduledFor;
  const last = past.get(campaignId);
  const byLast = last && startedAt ? new Date(startedAt.getTime() + last.seconds * 1000).toISOString() : null;
  return {
    at: at.toISOString(),
    localTime: localTimeOf(records.get(campaignId)),
    until: endedAt?.toISOString() ?? progress?.eta?.p50 ?? byLast,
    state,
    runId: publicId('run', runId),
    users,
    usersAre: endedAt === null ? ('so-far' as const) : ('counted' as const),
  };
}

/** Returns a planned start with its duration, which is estimated from the campaign's last run or from its pace. */
function planned(
  campaignId: string,
  at: Date,
  state: 'scheduled' | 'in_review',
  { records, past }: CampaignsOfTime,
): CalendarStart {
  const record = records.get(campaignId);
  const last = past.get(campaignId);
  const approved = record?.approval?.covers.usersAtMost;
  const users = last?.users ?? (approved ? Object.values(approved).reduce((sum, each) => sum + each, 0) : null);
  const pace = record?.definition.paceUsersPerSecond;
  const seconds = last?.seconds ?? (users !== null && pace !== undefined ? users / pace : null);
  const lastAtMs = record ? lastStartMs(record, at) : at.getTime();
  return {
    at: at.toISOString(),
    localTime: localTimeOf(record),
    until: seconds === null ? null : new Date(lastAtMs + seconds * 1000).toISOString(),
    state,
    runId: null,
    users,
    usersAre: last ? 'last-run' : users === null ? null : 'at-most',
  };
}

function localTimeOf(record: CampaignRecord | undefined): string | null {
  const schedule = record?.definition.schedule;
  return schedule?.type === 'local' ? schedule.time : null;
}

/** Returns the time at which the run has begun in its last country, if countries start at their own local times. */
function lastStartMs({ definition: { schedule, countries } }: CampaignRecord, at: Date): number {
  if (schedule.type !== 'local') return at.getTime();
  const starts = countries.flatMap((country) => localStartMs(schedule, country) ?? []);
  return Math.max(at.getTime(), ...starts);
}

/** Returns the future occurrences of a schedule. Past occurrences are listed as runs. */
function firesOf(
  { createdAt, nextAt }: PlannedRecurrence,
  record: CampaignRecord | undefined,
  { from, until, now, calendars, count }: CalendarTime & { calendars: WorkCalendars; count: number },
): Date[] {
  const schedule = record?.definition.schedule;
  if (schedule?.type !== 'recurring') return [];
  // A schedule whose work calendar cannot be read does not start runs, and its own page shows the reason.
  if (schedule.workCalendar !== undefined && !calendars.has(schedule.workCalendar)) return [];
  const recurrence = recurrenceOf(schedule, createdAt.getTime(), calendars);
  const untilMs = Math.min(recurrence.untilMs ?? Infinity, until.getTime() - 1);
  const afterMs = Math.max(from.getTime(), now.getTime(), nextAt.getTime()) - 1;
  const { instants } = nextFires({ ...recurrence, untilMs }, afterMs, count);
  return instants.flatMap((each) => (each.kind === 'fire' ? [new Date(each.atMs)] : []));
}

/** Returns the capacity of each action type: its rate limit, otherwise the rate of its fastest recent run. */
export function capacitiesOf(
  actionTypes: Catalogue['actionTypes'],
  fastest: readonly { action: string; usersPerSecond: number }[],
) {
  const limits = Object.entries(actionTypes).flatMap(([action, { ratePerSecond, batchSize }]) => {
    const known = [
      ...(ratePerSecond?.users === undefined ? [] : [ratePerSecond.users]),
      ...(ratePerSecond?.calls === undefined ? [] : [ratePerSecond.calls * batchSize]),
    ];
    return known.length === 0 ? [] : [{ action, usersPerSecond: Math.min(...known), by: 'limit' as const }];
  });
  const limited = new Set(limits.map(({ action }) => action));
  const seen = fastest.filter(({ action }) => !limited.has(action));
  return [...limits, ...seen.map((each) => ({ ...each, by: 'fastest-run' as const }))];
}
