import type { Pool, PoolClient } from 'pg';
import { workCalendarDefinition, workCalendarOf } from '../../contracts/schedules/work-calendars.ts';
import { unknownWorkCalendar, type RecurrenceDefinition } from '../../contracts/schedules/recurrences.ts';
import type { WorkCalendars } from '../../domain/recurrence/work-calendars.ts';

const none: WorkCalendars = new Map();

type Named = Pick<RecurrenceDefinition, 'workCalendar'>;

/** Those that recurrences name, as they are now. Nothing is asked where none names any. */
export async function readWorkCalendars(
  connection: Pool | PoolClient,
  recurrences: readonly Named[],
): Promise<WorkCalendars> {
  return await readNamed(connection, recurrences, select);
}

/**
 * The same for a schedule that is about to be written: a change of its calendar waits for the end of this transaction,
 * and sees it. Before any schedule is locked, as who changes a calendar locks its schedules behind it.
 * @throws {WorkCalendarError} there is none of that name
 */
export async function lockWorkCalendar(client: PoolClient, recurrence: Named): Promise<WorkCalendars> {
  const calendars = await readNamed(client, [recurrence], `${select} for share`);
  const { workCalendar } = recurrence;
  if (workCalendar !== undefined && !calendars.has(workCalendar)) throw unknownWorkCalendar(workCalendar);
  return calendars;
}

/** One that cannot be read is left out: schedules that name it are broken, and hold up no other. */
async function readNamed(connection: Pool | PoolClient, recurrences: readonly Named[], statement: string) {
  const names = new Set(recurrences.flatMap(({ workCalendar }) => workCalendar ?? []));
  if (names.size === 0) return none;
  const { rows } = await connection.query<{ name: string; definition: unknown }>(statement, [[...names]]);
  const read = rows.flatMap(({ name, definition }) => {
    const { data } = workCalendarDefinition.safeParse(definition);
    return data ? [[name, workCalendarOf(data)] as const] : [];
  });
  return new Map(read);
}

const select = 'select name, definition from work_calendars where name = any($1::text[])';
