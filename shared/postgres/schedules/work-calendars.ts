import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { workCalendarDefinition, workCalendarOf } from '../../contracts/schedules/work-calendars.ts';
import { unknownWorkCalendar, type RecurrenceDefinition } from '../../contracts/schedules/recurrences.ts';
import type { WorkCalendar, WorkCalendars } from '../../domain/recurrence/work-calendars.ts';

const none: WorkCalendars = new Map();

type Named = Pick<RecurrenceDefinition, 'workCalendar'>;

/** Reads the calendars that recurrences name, as they are now. Sends no statement if none names any. */
export type ReadWorkCalendars = (
  connection: Pool | PoolClient,
  recurrences: readonly Named[],
) => Promise<WorkCalendars>;

export const readWorkCalendars: ReadWorkCalendars = async (connection, recurrences) => {
  return await readNamed(connection, recurrences, select);
};

/** About 20 MB. An installation has 200 calendars of 2,000 dates at most. */
const mostDatesKept = 200_000;

/**
 * Creates a reader that keeps parsed calendars by name, revision and the transaction that wrote them, for callers that
 * read the same ones again and again: parsing 200 calendars of 500 dates takes 400 ms of CPU.
 */
export function createWorkCalendarReader({ mostDates = mostDatesKept } = {}): ReadWorkCalendars {
  const kept = new LRUCache<string, ParsedCalendar>({
    maxSize: mostDates,
    sizeCalculation: ({ calendar }) => 1 + (calendar?.datesOff.size ?? 0),
  });

  return async (connection, recurrences) => {
    const names = namesIn(recurrences);
    if (names.length === 0) return none;
    const { rows: versions } = await connection.query<VersionRow>(selectVersions, [names]);
    // Found ones are held here: the calendars that are read next may take their place among the kept.
    const found = new Map(versions.map((row) => [row.name, kept.get(versionOf(row))]));
    const missing = versions.flatMap(({ name }) => (found.get(name) ? [] : [name]));
    if (missing.length > 0) {
      const { rows } = await connection.query<VersionRow & DefinitionRow>(selectWithVersions, [missing]);
      for (const row of rows) {
        const parsed = { calendar: parse(row.definition) };
        kept.set(versionOf(row), parsed);
        found.set(row.name, parsed);
      }
    }
    return new Map([...found].flatMap(([name, parsed]) => (parsed?.calendar ? [[name, parsed.calendar]] : [])));
  };
}

/** Undefined if it cannot be read. */
interface ParsedCalendar {
  calendar: WorkCalendar | undefined;
}

interface VersionRow {
  name: string;
  revision: number;
  /**
   * Transaction that wrote the row. The revision is not enough: a calendar that is deleted and made anew begins with
   * revision 1 again, and a repair by hand in SQL may leave it as it was.
   */
  writtenBy: string;
}

interface DefinitionRow {
  name: string;
  definition: unknown;
}

function versionOf({ name, revision, writtenBy }: VersionRow): string {
  return `${name} ${revision} ${writtenBy}`;
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

/** Leaves out a calendar that cannot be read: schedules that name it are broken, and hold up no other. */
async function readNamed(connection: Pool | PoolClient, recurrences: readonly Named[], statement: string) {
  const names = namesIn(recurrences);
  if (names.length === 0) return none;
  const { rows } = await connection.query<DefinitionRow>(statement, [names]);
  const read = rows.flatMap(({ name, definition }) => {
    const calendar = parse(definition);
    return calendar ? [[name, calendar] as const] : [];
  });
  return new Map(read);
}

function namesIn(recurrences: readonly Named[]): string[] {
  return [...new Set(recurrences.flatMap(({ workCalendar }) => workCalendar ?? []))];
}

function parse(definition: unknown): WorkCalendar | undefined {
  const { data } = workCalendarDefinition.safeParse(definition);
  return data && workCalendarOf(data);
}

const select = 'select name, definition from work_calendars where name = any($1::text[])';

const selectVersions = `
  select name, revision, xmin::text as "writtenBy" from work_calendars where name = any($1::text[])`;

const selectWithVersions = `
  select name, revision, xmin::text as "writtenBy", definition from work_calendars
  where name = any($1::text[])`;
