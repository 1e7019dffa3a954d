import { LRUCache } from 'lru-cache';
import type { Pool, PoolClient } from 'pg';
import { workCalendarDefinition, workCalendarOf } from '../../contracts/schedules/work-calendars.ts';
import { unknownWorkCalendar, type RecurrenceDefinition } from '../../contracts/schedules/recurrences.ts';
import type { WorkCalendar, WorkCalendars } from '../../domain/recurrence/work-calendars.ts';

const none: WorkCalendars = new Map();

type Named = Pick<RecurrenceDefinition, 'workCalendar'>;

/** Reads the current calendars of recurrences. Sends no statement if no recurrence names a calendar. */
export type ReadWorkCalendars = (
  connection: Pool | PoolClient,
  recurrences: readonly Named[],
) => Promise<WorkCalendars>;

export const readWorkCalendars: ReadWorkCalendars = async (connection, recurrences) => {
  return await readNamed(connection, recurrences, select);
};

/** About 20 MB. An installation has at most 200 calendars of 2,000 dates. */
const mostDatesKept = 200_000;

/**
 * Creates a reader that caches parsed calendars by name, revision and writing transaction, for callers that read the
 * same calendars repeatedly: parsing 200 calendars of 500 dates takes 400 ms of CPU.
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
    // This map holds the found calendars, because calendars that are read next may evict them from the cache.
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

interface ParsedCalendar {
  calendar: WorkCalendar | undefined;
}

interface VersionRow {
  name: string;
  revision: number;
  /**
   * Transaction that wrote the row. The revision is not enough: a calendar that is deleted and created anew restarts at
   * revision 1, and a repair by hand in SQL may leave the revision unchanged.
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
 * Reads and locks the calendar of a schedule that is about to be written: a change of the calendar waits for the end of
 * this transaction, and sees the schedule. The caller locks the calendar before any schedule, as changes of a calendar
 * do.
 * @throws {WorkCalendarError} if there is no calendar of that name
 */
export async function lockWorkCalendar(client: PoolClient, recurrence: Named): Promise<WorkCalendars> {
  const calendars = await readNamed(client, [recurrence], `${select} for share`);
  const { workCalendar } = recurrence;
  if (workCalendar !== undefined && !calendars.has(workCalendar)) throw unknownWorkCalendar(workCalendar);
  return calendars;
}

/** Skips calendars that cannot be parsed: schedules that name them are broken, and delay no others. */
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
