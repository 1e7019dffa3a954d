import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { readSchedule, type KeptSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import { recurrenceOf, type RecurrenceDefinition } from '../../../../shared/contracts/schedules/recurrences.ts';
import { nextInstantMs } from '../../../../shared/domain/recurrence/recurrence.ts';
import {
  scheduleMoveOf,
  type ScheduleState,
  type ScheduleVerb,
} from '../../../../shared/domain/recurrence/schedule-states.ts';
import { fireSchedules, type Decider } from '../../../../shared/postgres/schedules/fire-schedules.ts';
import { plannedColumns, type PlannedColumns } from '../../../../shared/postgres/schedules/schedule-rows.ts';
import { statementOf, unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { stopRemainders } from '../../../../shared/postgres/schedules/stop-remainders.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { ScheduleRecord, ScheduleStore } from '../schedule-store.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import { fireByHand } from './fire-by-hand.ts';
import { listOccurrences } from './occurrence-list.ts';

export interface ScheduleStoreDeps {
  pool: Pool;
  /** Where what is fired by hand is counted. */
  region: string;
  owner: string;
}

/** Looks at what was due before a change: each of them handles tens of thousands of instants. */
const maxLooks = 50;

export function createScheduleStore({ pool, region, owner }: ScheduleStoreDeps): ScheduleStore {
  const decider: Decider = { region: null, nodeRegion: region, owner };

  return {
    get: (scheduleId) => find(pool, scheduleId),

    create: async ({ scheduleId = uuidv7(), name, clientId, definition, note }) => {
      await inTransaction(pool, async (client) => {
        const nowMs = await transactionTime(client);
        const [next, look] = scheduleTimesOf(definition.recurrence, nowMs, nowMs);
        const texts = { definition: JSON.stringify(definition), now: iso(nowMs) };
        await client.query(insertSchedule.with({ ...texts, scheduleId, name, clientId, note, next, look }));
      });
      return await require(pool, scheduleId);
    },

    list: async ({ state, clientId, clientIds }, limit, cursor) => {
      requireIdCursor(cursor);
      const wanted = { state: state ?? null, client: clientId ?? null, clients: clientIds ?? null };
      const { rows } = await pool.query<ScheduleRow>(selectPage.with({ ...wanted, cursor, limit: limit + 1 }));
      return pageOf(rows.map(recordOf), limit, ({ scheduleId }) => scheduleId);
    },

    change: (scheduleId, change, expected) =>
      inTransaction(pool, async (client) => {
        const before = await lock(client, scheduleId);
        if (!before) return { kind: 'missing' };
        if (expected !== null && expected !== before.revision) return { kind: 'outdated', schedule: before };
        const { name, clientId, definition, note } = change;
        const isBroken = before.state === 'broken' || before.definition.unreadable !== null;
        if (definition && !isBroken && !(await decidePending(client, before, decider))) return { kind: 'busy' };
        const { rowCount } = await client.query(
          updateSchedule.with({
            scheduleId,
            name: name ?? null,
            clientId: clientId ?? null,
            definition: definition ? JSON.stringify(definition) : null,
            hasNote: note !== undefined,
            note: note ?? null,
          }),
        );
        if (rowCount === 1 && definition && isBroken) await client.query(mend, [scheduleId]);
        else if (rowCount === 1 && definition) await beginAnew(client, before, definition);
        return { kind: 'changed', schedule: await require(client, scheduleId) };
      }),

    control: (scheduleId, verb, reason) =>
      inTransaction(pool, async (client) => {
        const before = await lock(client, scheduleId);
        if (!before) return undefined;
        const move = scheduleMoveOf(verb, before.state);
        if (move.kind !== 'move') return { move, schedule: before };
        if (before.state === 'active') await firePending(client, scheduleId, decider);
        const nowMs = await transactionTime(client);
        const isOn = move.to === 'active';
        const cause = isOn ? (before.state === 'paused' ? 'paused' : 'disabled') : null;
        const { kept } = before.definition;
        const next = isOn && kept ? scheduleTimesOf(kept.recurrence, before.createdAt.getTime(), nowMs)[0] : null;
        await client.query(moveSchedule.with({ scheduleId, to: move.to, reason, isOn, cause, next }));
        if (verb === 'disable') await client.query(dropBuffered, [scheduleId]);
        await stopRemainders(client, [{ scheduleId }], runVerbs[verb], whatHappened(verb));
        return { move, schedule: await require(client, scheduleId) };
      }),

    remove: async (scheduleId) => {
      const { rows } = await pool.query<{ gone: number; there: number }>(deleteSchedule, [scheduleId]);
      if (rows[0]?.gone === 1) return 'removed';
      return rows[0]?.there === 1 ? 'of-campaign' : 'missing';
    },

    fire: (scheduleId, request, groups) =>
      inTransaction(pool, async (client) => {
        const schedule = await lock(client, scheduleId);
        if (!schedule) return { kind: 'missing' };
        if (schedule.state === 'disabled') return { kind: 'disabled', schedule };
        if (schedule.definition.unreadable) return { kind: 'unreadable', cause: schedule.definition.unreadable.cause };
        return await fireByHand(client, { schedule, request, groups, decider });
      }),

    occurrences: (scheduleId, filter, limit, cursor) => listOccurrences(pool, { scheduleId, filter, limit, cursor }),
  };
}

/** What becomes of a run that the schedule started. */
export const runVerbs = { pause: 'pause', resume: 'resume', disable: 'cancel', enable: 'resume' } as const;
const pastOf: Record<ScheduleVerb, string> = {
  pause: 'paused',
  resume: 'resumed',
  disable: 'disabled',
  enable: 'enabled',
};

/** Into the run's history. */
export function whatHappened(verb: ScheduleVerb): string {
  return `its schedule was ${pastOf[verb]}`;
}

async function beginAnew(client: PoolClient, before: ScheduleRecord, definition: KeptSchedule): Promise<void> {
  const nowMs = await transactionTime(client);
  const times = scheduleTimesOf(definition.recurrence, before.createdAt.getTime(), nowMs);
  await client.query(beginFrom, [before.scheduleId, iso(nowMs), ...times]);
}

/** By the definition that it was due by: it would be lost otherwise. What came while it rests is listed as skipped. */
async function decidePending(
  client: PoolClient,
  { scheduleId, state }: ScheduleRecord,
  decider: Decider,
): Promise<boolean> {
  if (state === 'paused' || state === 'disabled') await client.query(silence, [scheduleId, state]);
  return state === 'ended' || (await firePending(client, scheduleId, decider));
}

/** Whatever region it is at home in. False where more is pending than can be decided here. */
async function firePending(client: PoolClient, scheduleId: string, decider: Decider): Promise<boolean> {
  for (let look = 0; look < maxLooks; look++) {
    const { rows } = await client.query<PlannedColumns>(selectPending, [scheduleId]);
    if (rows.length === 0) return true;
    await fireSchedules(client, rows, decider);
  }
  return false;
}

/** The next instant after `afterMs`, and when to look: for a schedule that has an end, that is the last look. */
export function scheduleTimesOf(
  definition: RecurrenceDefinition,
  madeAtMs: number,
  afterMs: number,
): [string | null, string] {
  const recurrence = recurrenceOf(definition, madeAtMs);
  const nextAtMs = nextInstantMs(recurrence, afterMs);
  return [nextAtMs === null ? null : iso(nextAtMs), iso(nextAtMs ?? recurrence.untilMs ?? afterMs)];
}

const iso = (ms: number) => new Date(ms).toISOString();

async function transactionTime(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ now: Date }>('select now()');
  if (!rows[0]) throw new Error('the database does not know the time');
  return rows[0].now.getTime();
}

async function lock(client: PoolClient, scheduleId: string): Promise<ScheduleRecord | undefined> {
  const { rows } = await client.query<ScheduleRow>(`${selectSchedules} where s.id = $1 for update of s`, [scheduleId]);
  return rows[0] && recordOf(rows[0]);
}

async function find(connection: Pool | PoolClient, scheduleId: string): Promise<ScheduleRecord | undefined> {
  const { rows } = await connection.query<ScheduleRow>(`${selectSchedules} where s.id = $1`, [scheduleId]);
  return rows[0] && recordOf(rows[0]);
}

async function require(connection: Pool | PoolClient, scheduleId: string): Promise<ScheduleRecord> {
  const record = await find(connection, scheduleId);
  if (!record) throw new Error(`schedule ${scheduleId} is not there`);
  return record;
}

type ScheduleRow = Omit<ScheduleRecord, 'definition'> & { definition: unknown };

function recordOf(row: ScheduleRow): ScheduleRecord {
  return { ...row, definition: readSchedule(row.definition) };
}

const selectSchedules = `
  select s.id as "scheduleId", s.name, s.client as "clientId", s.campaign as "campaignId", s.revision, s.definition,
    s.state,
    s.state_reason as "stateReason", s.state_since as "stateSince", s.next_at as "nextAt", s.high_water as "highWater",
    s.note, s.created_at as "createdAt", s.updated_at as "updatedAt"
  from schedules s`;

interface PageParams {
  cursor: string | null;
  limit: number;
  state: ScheduleState | null;
  client: string | null;
  /** Beside those of campaigns, those of these clients alone. */
  clients: readonly string[] | null;
}

const selectPage = unnamedStatementOf<PageParams>(
  ($) => `
  ${selectSchedules}
  where (${$('cursor')}::uuid is null or s.id < ${$('cursor')})
    and (${$('state')}::text is null or s.state = ${$('state')})
    and (${$('client')}::uuid is null or s.client = ${$('client')})
    and (${$('clients')}::uuid[] is null or s.client is null or s.client = any(${$('clients')}))
  order by s.id desc limit ${$('limit')}`,
);

const selectPending = `select ${plannedColumns} from schedules s where s.id = $1 and s.look_at <= now()`;

interface NewSchedule {
  scheduleId: string;
  name: string;
  clientId: string;
  definition: string;
  note: string | null;
  /** In whole milliseconds: what recurs does so after it. */
  now: string;
  next: string | null;
  look: string;
}

const insertSchedule = statementOf<NewSchedule>(
  'insert-schedule',
  ($) => `
  insert into schedules (id, name, client, definition, note, created_at, high_water, state, next_at, look_at)
  values (${$('scheduleId')}, ${$('name')}, ${$('clientId')}, ${$('definition')}::jsonb, ${$('note')},
    ${$('now')}::timestamptz, ${$('now')}::timestamptz, 'active', ${$('next')}, ${$('look')})
  on conflict (id) do nothing`,
);

/** Null: stays as it is; but for the note, which may become null. */
interface ScheduleUpdate {
  scheduleId: string;
  name: string | null;
  clientId: string | null;
  definition: string | null;
  hasNote: boolean;
  note: string | null;
}

const updateSchedule = statementOf<ScheduleUpdate>(
  'update-schedule',
  ($) => `
  with wanted as (
    select coalesce(${$('name')}, name) as name, coalesce(${$('clientId')}::uuid, client) as client,
      coalesce(${$('definition')}::jsonb, definition) as definition,
      case when ${$('hasNote')}::boolean then ${$('note')} else note end as note
    from schedules where id = ${$('scheduleId')}
  )
  update schedules s set name = w.name, client = w.client, definition = w.definition, note = w.note,
    revision = s.revision + 1, updated_at = now()
  from wanted w
  where s.id = ${$('scheduleId')}
    and (s.name, s.client, s.definition, s.note) is distinct from (w.name, w.client, w.definition, w.note)`,
);

const beginFrom = `
  update schedules set high_water = greatest(high_water, $2::timestamptz),
    next_at = case when state = 'active' then $3::timestamptz end,
    look_at = case when state = 'active' then $4::timestamptz end, region_looks = '{}'
  where id = $1`;

/** What came while it was broken is skipped by the next look, which is at once. */
const mend = `
  update schedules set silent_until = now(), silent_cause = 'broken', region_looks = '{}',
    look_at = case when state in ('active', 'broken') then now() end,
    state_since = case when state = 'broken' then now() else state_since end,
    state_reason = case when state = 'broken' then null else state_reason end,
    state = case when state = 'broken' then 'active' else state end
  where id = $1`;

const deleteSchedule = `
  with gone as (delete from schedules where id = $1 and campaign is null returning 1)
  select (select count(*) from gone)::int as gone, (select count(*) from schedules where id = $1)::int as there`;

const silence = `update schedules set silent_until = now(), silent_cause = $2, look_at = now() where id = $1`;

interface ScheduleMove {
  scheduleId: string;
  to: string;
  reason: string | null;
  isOn: boolean;
  cause: string | null;
  next: string | null;
}

/** What came while it was off is skipped by the next look, which is at once. */
const moveSchedule = statementOf<ScheduleMove>(
  'move-schedule',
  ($) => `
  update schedules set state = ${$('to')}, state_reason = ${$('reason')}, state_since = now(), updated_at = now(),
    silent_until = case when ${$('isOn')} then now() else silent_until end,
    silent_cause = case when ${$('isOn')} then ${$('cause')} else silent_cause end,
    next_at = ${$('next')}, look_at = case when ${$('isOn')} then now() else null end, region_looks = '{}'
  where id = ${$('scheduleId')}`,
);

const dropBuffered = `
  with dropped as (
    delete from occurrences where schedule = $1 and state = 'buffered' returning schedule, group_name, scheduled_for
  )
  insert into skipped_instants (schedule, group_name, first_at, last_at, instants, cause)
  select schedule, group_name, scheduled_for, scheduled_for, 1, 'disabled' from dropped on conflict do nothing`;
