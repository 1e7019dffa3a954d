import { isSeenRevision, type SeenParams } from '../../frame/postgres/seen-campaigns.ts';
import type { ScheduleState } from '../../../../shared/domain/recurrence/schedule-states.ts';
import { plannedColumns } from '../../../../shared/postgres/schedules/schedule-rows.ts';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';

export const selectSchedules = `
  select s.id as "scheduleId", s.name, s.client as "clientId", s.campaign as "campaignId", s.revision, s.definition,
    s.state,
    s.state_reason as "stateReason", s.state_since as "stateSince", s.next_at as "nextAt", s.high_water as "highWater",
    s.note, s.created_at as "createdAt", s.updated_at as "updatedAt"
  from schedules s`;

interface PageParams extends SeenParams {
  cursor: string | null;
  limit: number;
  state: ScheduleState | null;
  client: string | null;
  pattern: string | null;
  /** Ids of clients whose schedules are listed, in addition to the schedules of campaigns that the caller may see. */
  clients: readonly string[] | null;
}

export const selectPage = unnamedStatementOf<PageParams>(
  ($) => `
  ${selectSchedules}
  where (${$('cursor')}::uuid is null or s.id < ${$('cursor')})
    and (${$('state')}::text is null or s.state = ${$('state')})
    and (${$('client')}::uuid is null or s.client = ${$('client')})
    and (${$('pattern')}::text is null or s.name ilike ${$('pattern')})
    and (${$('clients')}::uuid[] is null or s.client is null or s.client = any(${$('clients')}))
    and (s.campaign is null or exists (
      select from campaigns c join revisions v on v.campaign = c.id and v.revision = c.revision
      where c.id = s.campaign and ${isSeenRevision($, 'v')}))
  order by s.id desc limit ${$('limit')}`,
);

export const selectPending = `select ${plannedColumns} from schedules s where s.id = $1 and s.next_check_at <= now()`;

interface NewSchedule {
  scheduleId: string;
  name: string;
  clientId: string;
  definition: string;
  firesPerHour: number;
  note: string | null;
  /** Current time in whole milliseconds. The recurrence begins after it. */
  now: string;
  next: string | null;
  look: string;
}

export const insertSchedule = statementOf<NewSchedule>(
  'insert-schedule',
  ($) => `
  insert into schedules (id, name, client, definition, fires_per_hour, note, created_at, high_water, state, next_at,
    next_check_at)
  values (${$('scheduleId')}, ${$('name')}, ${$('clientId')}, ${$('definition')}::jsonb, ${$('firesPerHour')},
    ${$('note')}, ${$('now')}::timestamptz, ${$('now')}::timestamptz, 'active', ${$('next')}, ${$('look')})
  on conflict (id) do nothing`,
);

/** Parameters of an update. Null leaves a field unchanged, except for the note, which may become null. */
interface ScheduleUpdate {
  scheduleId: string;
  name: string | null;
  clientId: string | null;
  definition: string | null;
  firesPerHour: number | null;
  hasNote: boolean;
  note: string | null;
}

export const updateSchedule = statementOf<ScheduleUpdate>(
  'update-schedule',
  ($) => `
  with wanted as (
    select coalesce(${$('name')}, name) as name, coalesce(${$('clientId')}::uuid, client) as client,
      coalesce(${$('definition')}::jsonb, definition) as definition,
      case when ${$('hasNote')}::boolean then ${$('note')} else note end as note
    from schedules where id = ${$('scheduleId')}
  )
  update schedules s set name = w.name, client = w.client, definition = w.definition, note = w.note,
    fires_per_hour = coalesce(${$('firesPerHour')}::float8, s.fires_per_hour),
    revision = s.revision + 1, updated_at = now()
  from wanted w
  where s.id = ${$('scheduleId')}
    and (s.name, s.client, s.definition, s.note) is distinct from (w.name, w.client, w.definition, w.note)`,
);

export const beginFrom = `
  update schedules set high_water = greatest(high_water, $2::timestamptz),
    next_at = case when state = 'active' then $3::timestamptz end,
    next_check_at = case when state = 'active' then $4::timestamptz end, region_next_checks = '{}'
  where id = $1`;

/**
 * Marks a schedule that could not be read as repaired. Its next scan is due now, and skips the instants from the time
 * in which it could not be read.
 */
export const markRepaired = `
  update schedules set skip_until = now(), skip_cause = 'broken', region_next_checks = '{}',
    next_check_at = case when state in ('active', 'broken') then now() end,
    state_since = case when state = 'broken' then now() else state_since end,
    state_reason = case when state = 'broken' then null else state_reason end,
    state = case when state = 'broken' then 'active' else state end
  where id = $1`;

export const deleteSchedule = `
  with gone as (delete from schedules where id = $1 and campaign is null returning 1)
  select (select count(*) from gone)::int as gone, (select count(*) from schedules where id = $1)::int as there`;

export const silence = `update schedules set skip_until = now(), skip_cause = $2, next_check_at = now() where id = $1`;

interface ScheduleMove {
  scheduleId: string;
  to: string;
  reason: string | null;
  isOn: boolean;
  cause: string | null;
  next: string | null;
}

/**
 * Changes the state of a schedule. If the schedule is resumed or enabled, its next scan is due now, and skips the
 * instants from the time in which it was paused or disabled.
 */
export const moveSchedule = statementOf<ScheduleMove>(
  'move-schedule',
  ($) => `
  update schedules set state = ${$('to')}, state_reason = ${$('reason')}, state_since = now(), updated_at = now(),
    skip_until = case when ${$('isOn')} then now() else skip_until end,
    skip_cause = case when ${$('isOn')} then ${$('cause')} else skip_cause end,
    next_at = ${$('next')}, next_check_at = case when ${$('isOn')} then now() else null end, region_next_checks = '{}'
  where id = ${$('scheduleId')}`,
);

export const dropBuffered = `
  with dropped as (
    delete from occurrences where schedule = $1 and state = 'buffered' returning schedule, group_name, scheduled_for
  )
  insert into skipped_instants (schedule, group_name, first_at, last_at, instants, cause)
  select schedule, group_name, scheduled_for, scheduled_for, 1, 'disabled' from dropped on conflict do nothing`;
