import { DatabaseError, type Pool, type PoolClient } from 'pg';
import {
  mostWorkCalendars,
  workCalendarDefinition,
  type WorkCalendarDefinition,
} from '../../../../shared/contracts/schedules/work-calendars.ts';
import { readWorkCalendars } from '../../../../shared/postgres/schedules/work-calendars.ts';
import { inTransaction } from '../../../../shared/postgres/connection/transaction.ts';
import type { CalendarRemoval, WorkCalendarRecord, WorkCalendarStore } from '../work-calendar-store.port.ts';

export function createWorkCalendarStore({ pool }: { pool: Pool }): WorkCalendarStore {
  return {
    list: async () => {
      const { rows } = await pool.query<Row>(`${select} order by name collate "C"`);
      return rows.map(recordOf);
    },

    get: (name) => find(pool, name),

    named: (recurrence) => readWorkCalendars(pool, [recurrence]),

    put: (name, definition) => inTransaction(pool, (client) => put(client, name, definition)),

    remove: async (name) => {
      const users = await usersOf(pool, name);
      if (users.length > 0) return { kind: 'in-use', users };
      try {
        const { rowCount } = await pool.query('delete from work_calendars where name = $1', [name]);
        return { kind: rowCount === 1 ? 'removed' : 'missing' };
      } catch (error) {
        // The foreign key has prevented the deletion, because a schedule began to use the calendar meanwhile.
        if (!(error instanceof DatabaseError) || error.code !== foreignKeyViolation) throw error;
        return { kind: 'in-use', users: await usersOf(pool, name) };
      }
    },
  };
}

const foreignKeyViolation = '23503';

/**
 * Stores a calendar. The next scan plans its schedules again, and past decisions stay. A schedule without due instants
 * counts as decided until now, so that the past instants of a day that was off until now do not start anything.
 */
async function put(client: PoolClient, name: string, definition: WorkCalendarDefinition) {
  const written = await client.query(upsert, [name, JSON.stringify(definition), mostWorkCalendars]);
  if (written.rowCount === 1) await client.query(replan, [name]);
  return await find(client, name);
}

async function usersOf(pool: Pool, name: string): Promise<Extract<CalendarRemoval, { kind: 'in-use' }>['users']> {
  const { rows } = await pool.query<{ scheduleId: string; name: string }>(selectUsers, [name]);
  return rows;
}

interface Row extends Omit<WorkCalendarRecord, 'definition'> {
  definition: unknown;
}

async function find(connection: Pool | PoolClient, name: string): Promise<WorkCalendarRecord | undefined> {
  const { rows } = await connection.query<Row>(`${select} where name = $1`, [name]);
  return rows[0] && recordOf(rows[0]);
}

function recordOf(row: Row): WorkCalendarRecord {
  return { ...row, definition: workCalendarDefinition.parse(row.definition) };
}

const select = `
  select name, definition, revision, created_at as "createdAt", updated_at as "updatedAt",
    (select count(*) from schedules s where s.work_calendar = c.name)::int as schedules
  from work_calendars c`;

/** Inserts no row if the definition is unchanged or the maximum number of calendars exists. */
const upsert = `
  insert into work_calendars as c (name, definition)
  select $1, $2::jsonb
  where exists (select from work_calendars where name = $1) or (select count(*) from work_calendars) < $3
  on conflict (name) do update set definition = excluded.definition, revision = c.revision + 1, updated_at = now()
  where c.definition is distinct from excluded.definition`;

const replan = `
  update schedules set high_water = greatest(high_water, date_trunc('milliseconds', now())), next_check_at = now(),
    region_next_checks = '{}'
  where work_calendar = $1 and state = 'active' and coalesce(next_check_at > now(), true)`;

const selectUsers = `
  select id as "scheduleId", name from schedules where work_calendar = $1 order by id limit 10`;
