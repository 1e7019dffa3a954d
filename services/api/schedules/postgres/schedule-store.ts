import { seenParamsOf } from '../../frame/postgres/seen-campaigns.ts';
import type { Pool, PoolClient } from 'pg';
import { v7 as uuidv7 } from 'uuid';
import { readSchedule } from '../../../../shared/contracts/schedules/kept-schedules.ts';
import {
  recurrenceOf,
  WorkCalendarError,
  type RecurrenceDefinition,
} from '../../../../shared/contracts/schedules/recurrences.ts';
import { BeyondQuotaError, BeyondScheduleBoundError } from '../../../../shared/domain/quotas.ts';
import { nextTimes } from '../../../../shared/domain/recurrence/recurrence.ts';
import type { WorkCalendars } from '../../../../shared/domain/recurrence/work-calendars.ts';
import { scheduleMoveOf, type ScheduleVerb } from '../../../../shared/domain/recurrence/schedule-states.ts';
import { fireSchedules, type Decider, type FireQuotas } from '../../../../shared/postgres/schedules/fire-schedules.ts';
import type { PlannedColumns } from '../../../../shared/postgres/schedules/schedule-rows.ts';
import { roomForRuns } from '../../../../shared/postgres/schedules/room-for-runs.ts';
import { stopRemainders } from '../../../../shared/postgres/schedules/stop-remainders.ts';
import { lockWorkCalendar, readWorkCalendars } from '../../../../shared/postgres/schedules/work-calendars.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { ScheduleChange, ScheduleChangeResult, ScheduleRecord, ScheduleStore } from '../schedule-store.port.ts';
import { pageOf, requireIdCursor } from '../../frame/postgres/pages.ts';
import { fireByHand } from './fire-by-hand.ts';
import { listOccurrences } from './occurrence-list.ts';
import { beyondBounds, firesPerHourOf } from './schedule-bounds.ts';
import * as statements from './schedule-statements.ts';
import { patternOf } from '../../frame/postgres/name-pattern.ts';

export interface ScheduleStoreDeps {
  pool: Pool;
  /** Region and process under which occurrences that people request are counted. */
  region: string;
  owner: string;
  quotas: FireQuotas;
}

/** Maximum number of scans for due instants before a change. Each scan handles tens of thousands of instants. */
const maxSearches = 50;

export function createScheduleStore({ pool, region, owner, quotas }: ScheduleStoreDeps): ScheduleStore {
  const firing: Firing = { decider: { region: null, nodeRegion: region, owner }, quotas };

  return {
    get: (scheduleId) => find(pool, scheduleId),

    create: async ({ scheduleId = uuidv7(), name, clientId, definition, note }) => {
      const beyond = await inTransaction(pool, async (client) => {
        const calendars = await lockWorkCalendar(client, definition.recurrence);
        const firesPerHour = await firesPerHourOf(client, definition);
        const refused = await beyondBounds(client, { scheduleId, clientId, firesPerHour });
        if (refused) return refused;
        const nowMs = await transactionTime(client);
        const [next, look] = firstTimesOf({ definition: definition.recurrence, calendars }, nowMs, nowMs);
        const kept = { definition: JSON.stringify(definition), firesPerHour, now: iso(nowMs) };
        await client.query(statements.insertSchedule.with({ ...kept, scheduleId, name, clientId, note, next, look }));
        return undefined;
      });
      if (beyond) throw beyond;
      return await require(pool, scheduleId);
    },

    list: async ({ state, clientId, text, clientIds, within }, limit, cursor) => {
      requireIdCursor(cursor);
      const clientParams = { client: clientId ?? null, clients: clientIds ?? null };
      const wanted = { state: state ?? null, pattern: patternOf(text), ...clientParams };
      const { rows } = await pool.query<ScheduleRow>(
        statements.selectPage.with({ ...wanted, ...seenParamsOf(within), cursor, limit: limit + 1 }),
      );
      return pageOf(rows.map(recordOf), limit, ({ scheduleId }) => scheduleId);
    },

    change: async (scheduleId, change, expected) => {
      const done = await inTransaction(pool, (client) =>
        changeSchedule(client, { scheduleId, change, expected }, firing),
      );
      if (done instanceof BeyondScheduleBoundError) throw done;
      return done;
    },

    control: async (scheduleId, verb, reason) => {
      const done = await inTransaction(pool, (client) => control(client, { scheduleId, verb, reason }, firing));
      if (done instanceof BeyondQuotaError) throw done;
      return done;
    },

    remove: async (scheduleId) => {
      const { rows } = await pool.query<{ gone: number; there: number }>(statements.deleteSchedule, [scheduleId]);
      if (rows[0]?.gone === 1) return 'removed';
      return rows[0]?.there === 1 ? 'of-campaign' : 'missing';
    },

    fire: (scheduleId, request, groups) =>
      inTransaction(pool, async (client) => {
        const schedule = await lock(client, scheduleId);
        if (!schedule) return { kind: 'missing' };
        if (schedule.state === 'disabled') return { kind: 'disabled', schedule };
        if (schedule.definition.unreadable) return { kind: 'unreadable', cause: schedule.definition.unreadable.cause };
        return await fireByHand(client, { schedule, request, groups, ...firing });
      }),

    occurrences: (scheduleId, filter, limit, cursor) => listOccurrences(pool, { scheduleId, filter, limit, cursor }),
  };
}

interface Firing {
  decider: Decider;
  quotas: FireQuotas;
}

interface Change {
  scheduleId: string;
  change: ScheduleChange;
  expected: number | null;
}

/** Changes a schedule. Returns an error, without having written anything, if a limit is exceeded. */
async function changeSchedule(
  client: PoolClient,
  { scheduleId, change, expected }: Change,
  firing: Firing,
): Promise<ScheduleChangeResult | BeyondScheduleBoundError> {
  const calendars = change.definition ? await lockWorkCalendar(client, change.definition.recurrence) : undefined;
  const before = await lock(client, scheduleId);
  if (!before) return { kind: 'missing' };
  if (expected !== null && expected !== before.revision) return { kind: 'outdated', schedule: before };
  const { name, clientId = before.clientId, definition, note } = change;
  const firesPerHour = definition ? await firesPerHourOf(client, definition) : null;
  if (clientId !== null && firesPerHour !== null) {
    const beyond = await beyondBounds(client, { scheduleId, clientId, firesPerHour });
    if (beyond) return beyond;
  }
  const isBroken = before.state === 'broken' || before.definition.unreadable !== null;
  if (definition && !isBroken && !(await decidePending(client, before, firing))) return { kind: 'busy' };
  const { rowCount } = await client.query(
    statements.updateSchedule.with({
      scheduleId,
      name: name ?? null,
      clientId,
      definition: definition ? JSON.stringify(definition) : null,
      firesPerHour,
      hasNote: note !== undefined,
      note: note ?? null,
    }),
  );
  if (rowCount === 1 && definition && isBroken) await client.query(statements.markRepaired, [scheduleId]);
  else if (rowCount === 1 && definition && calendars)
    await restartSchedule(client, before, { definition: definition.recurrence, calendars });
  return { kind: 'changed', schedule: await require(client, scheduleId) };
}

interface Control {
  scheduleId: string;
  verb: ScheduleVerb;
  reason: string | null;
}

/** Changes the state of a schedule. Returns an error, without having written anything, if a quota is exceeded. */
async function control(client: PoolClient, { scheduleId, verb, reason }: Control, firing: Firing) {
  const before = await lock(client, scheduleId);
  if (!before) return undefined;
  const move = scheduleMoveOf(verb, before.state);
  if (move.kind !== 'move') return { move, schedule: before };
  if (verb === 'enable' && !(await hasRoom(client, before, firing.quotas)))
    return new BeyondQuotaError('openRuns', firing.quotas.openRuns);
  if (before.state === 'active') await firePending(client, scheduleId, firing);
  const nowMs = await transactionTime(client);
  const isOn = move.to === 'active';
  const cause = isOn ? (before.state === 'paused' ? 'paused' : 'disabled') : null;
  const { kept } = before.definition;
  const next = isOn && kept ? await nextOf(client, kept.recurrence, before.createdAt.getTime(), nowMs) : null;
  await client.query(statements.moveSchedule.with({ scheduleId, to: move.to, reason, isOn, cause, next }));
  if (verb === 'disable') await client.query(statements.dropBuffered, [scheduleId]);
  await stopRemainders(client, [{ scheduleId }], runVerbs[verb], describeChange(verb));
  return { move, schedule: await require(client, scheduleId) };
}

async function nextOf(client: PoolClient, definition: RecurrenceDefinition, madeAtMs: number, nowMs: number) {
  const calendars = await readWorkCalendars(client, [definition]);
  return scheduleTimesOf({ definition, calendars }, madeAtMs, nowMs)[0];
}

/**
 * Returns true if the account may have one more open run. A recurring campaign counts as one open run even between its
 * runs.
 */
async function hasRoom(client: PoolClient, { campaignId }: ScheduleRecord, { openRuns }: FireQuotas): Promise<boolean> {
  if (campaignId === null) return true;
  const runs = await roomForRuns(client, [campaignId], openRuns);
  return runs.take(campaignId);
}

/** Requests to a schedule, with the request that is made to the run that the schedule started. */
export const runVerbs = { pause: 'pause', resume: 'resume', disable: 'cancel', enable: 'resume' } as const;
const pastOf: Record<ScheduleVerb, string> = {
  pause: 'paused',
  resume: 'resumed',
  disable: 'disabled',
  enable: 'enabled',
};

export function describeChange(verb: ScheduleVerb): string {
  return `its schedule was ${pastOf[verb]}`;
}

async function restartSchedule(client: PoolClient, before: ScheduleRecord, recurs: Recurs): Promise<void> {
  const nowMs = await transactionTime(client);
  const times = firstTimesOf(recurs, before.createdAt.getTime(), nowMs);
  await client.query(statements.beginFrom, [before.scheduleId, iso(nowMs), ...times]);
}

/**
 * Decides about pending instants by the previous definition, because the change would lose them. Instants while the
 * schedule is paused or disabled are recorded as skipped.
 */
async function decidePending(
  client: PoolClient,
  { scheduleId, state }: ScheduleRecord,
  firing: Firing,
): Promise<boolean> {
  if (state === 'paused' || state === 'disabled') await client.query(statements.silence, [scheduleId, state]);
  return state === 'ended' || (await firePending(client, scheduleId, firing));
}

/**
 * Decides about pending instants in any region. Returns false if more instants are pending than can be decided here.
 */
async function firePending(client: PoolClient, scheduleId: string, { decider, quotas }: Firing): Promise<boolean> {
  for (let look = 0; look < maxSearches; look++) {
    const { rows } = await client.query<PlannedColumns>(statements.selectPending, [scheduleId]);
    if (rows.length === 0) return true;
    await fireSchedules(client, rows, decider, quotas);
  }
  return false;
}

/**
 * Returns the first times of a schedule that is being written.
 * @throws {WorkCalendarError} if the schedule would have no occurrence; the errors of `scheduleTimesOf` are also
 * possible
 */
export function firstTimesOf(recurs: Recurs, madeAtMs: number, afterMs: number): [string | null, string] {
  const times = scheduleTimesOf(recurs, madeAtMs, afterMs);
  const { workCalendar, until } = recurs.definition;
  if (workCalendar !== undefined && until === undefined && times[0] === null) {
    const detail = `within twenty years, all its instants are on days off of the work calendar ${JSON.stringify(workCalendar)}`;
    throw new WorkCalendarError('never-fires', detail);
  }
  return times;
}

interface Recurs {
  definition: RecurrenceDefinition;
  calendars: WorkCalendars;
}

/**
 * Returns the next instant after `afterMs`, and the time of the next scan. If there is no further instant, the last
 * scan is at the end of the schedule.
 * @throws {WorkCalendarError} if its work calendar is not in `calendars`
 */
export function scheduleTimesOf(
  { definition, calendars }: Recurs,
  madeAtMs: number,
  afterMs: number,
): [string | null, string] {
  const recurrence = recurrenceOf(definition, madeAtMs, calendars);
  const { fireMs, checkMs } = nextTimes(recurrence, afterMs);
  return [fireMs === null ? null : iso(fireMs), iso(checkMs ?? recurrence.untilMs ?? afterMs)];
}

const iso = (ms: number) => new Date(ms).toISOString();

async function transactionTime(client: PoolClient): Promise<number> {
  const { rows } = await client.query<{ now: Date }>('select now()');
  if (!rows[0]) throw new Error('the database returned no time');
  return rows[0].now.getTime();
}

async function lock(client: PoolClient, scheduleId: string): Promise<ScheduleRecord | undefined> {
  const { rows } = await client.query<ScheduleRow>(`${statements.selectSchedules} where s.id = $1 for update of s`, [
    scheduleId,
  ]);
  return rows[0] && recordOf(rows[0]);
}

async function find(connection: Pool | PoolClient, scheduleId: string): Promise<ScheduleRecord | undefined> {
  const { rows } = await connection.query<ScheduleRow>(`${statements.selectSchedules} where s.id = $1`, [scheduleId]);
  return rows[0] && recordOf(rows[0]);
}

async function require(connection: Pool | PoolClient, scheduleId: string): Promise<ScheduleRecord> {
  const record = await find(connection, scheduleId);
  if (!record) throw new Error(`schedule ${scheduleId} does not exist`);
  return record;
}

type ScheduleRow = Omit<ScheduleRecord, 'definition'> & { definition: unknown };

function recordOf(row: ScheduleRow): ScheduleRecord {
  return { ...row, definition: readSchedule(row.definition) };
}
