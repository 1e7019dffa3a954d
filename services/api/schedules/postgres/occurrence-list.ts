import type { Pool, PoolClient } from 'pg';
import { z } from 'zod';
import type { NewOccurrence } from '../../../../shared/contracts/schedules/planned-rows.ts';
import { InvalidCursorError, type Page } from '../../frame/page.port.ts';
import type { OccurrenceFilter, OccurrenceRecord } from '../schedule-store.port.ts';
import { unnamedStatementOf } from '../../../../shared/postgres/connection/statement.ts';
import { pageOf } from '../../frame/postgres/pages.ts';
import { placeText } from '../../../../shared/contracts/stored-texts.ts';

export interface OccurrenceQuery {
  scheduleId: string;
  filter: OccurrenceFilter;
  limit: number;
  cursor: string | null;
}

export async function listOccurrences(pool: Pool, question: OccurrenceQuery): Promise<Page<OccurrenceRecord>> {
  const { scheduleId, filter, limit, cursor } = question;
  const after = cursor === null ? null : readCursor(cursor);
  const { rows } = await pool.query<OccurrenceRecord>(
    selectPage.with({
      scheduleId,
      limit: limit + 1,
      state: filter.state ?? null,
      group: filter.group ?? null,
      afterAt: after?.at ?? null,
      afterGroup: after?.group ?? null,
      afterCause: after?.cause ?? null,
    }),
  );
  return pageOf(rows, limit, writeCursor);
}

export async function readOccurrences(
  client: PoolClient,
  scheduleId: string,
  inserted: readonly NewOccurrence[],
): Promise<OccurrenceRecord[]> {
  const keys = inserted.map(({ group, scheduledForMs }) => ({ group_name: group, at: new Date(scheduledForMs) }));
  const { rows } = await client.query<OccurrenceRecord>(selectInserted, [scheduleId, JSON.stringify(keys)]);
  return rows;
}

const cursorShape = z.tuple([z.iso.datetime(), placeText, placeText]);

export function writeCursor({ scheduledFor, group, cause }: OccurrenceRecord): string {
  return Buffer.from(JSON.stringify([scheduledFor.toISOString(), group, cause ?? ''])).toString('base64url');
}

export function readCursor(cursor: string): { at: string; group: string; cause: string } {
  try {
    const [at, group, cause] = cursorShape.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
    return { at, group, cause };
  } catch (error) {
    throw new InvalidCursorError(`${JSON.stringify(cursor)} is not a cursor of occurrences`, { cause: error });
  }
}

/**
 * SQL of the past occurrences of a schedule. All times are whole milliseconds, so that a cursor equals the time of its
 * row.
 */
const fired = (schedule: string) => `
  select o.scheduled_for, o.group_name, '' as cause, o.state, o.kind, 1 as instants, o.scheduled_for as last_at,
    case when s.client is not null then o.target end as job, o.due_at, o.region, o.decided_at, s.campaign
  from occurrences o join schedules s on s.id = o.schedule where o.schedule = ${schedule}`;

const skipped = (schedule: string) => `
  select first_at, group_name, cause, 'skipped', null, instants, last_at, null::uuid, null::timestamptz, null,
    recorded_at, null::uuid
  from skipped_instants where schedule = ${schedule}`;

const columns = `
  u.scheduled_for as "scheduledFor", u.group_name as "group", u.state, u.kind, nullif(u.cause, '') as cause, u.instants,
  u.last_at as "lastInstant", u.job as "jobId", r.id as "runId", u.due_at as "dueAt", u.region,
    u.decided_at as "decidedAt"`;

const runs = `left join runs r on r.campaign = u.campaign and r.scheduled_for = u.due_at and r.parent is null`;

interface PageParams {
  scheduleId: string;
  limit: number;
  state: string | null;
  group: string | null;
  /** Position of the last occurrence of the previous page, or null. */
  afterAt: string | null;
  afterGroup: string | null;
  afterCause: string | null;
}

const selectPage = unnamedStatementOf<PageParams>(
  ($) => `
  select ${columns} from (
    select * from (${fired($('scheduleId'))} union all ${skipped($('scheduleId'))}) u
    where (${$('state')}::text is null or state = ${$('state')})
      and (${$('group')}::text is null or group_name = ${$('group')})
      and (${$('afterAt')}::timestamptz is null or (scheduled_for, group_name collate "C", cause collate "C")
        < (${$('afterAt')}, ${$('afterGroup')}, ${$('afterCause')}))
    order by scheduled_for desc, group_name collate "C" desc, cause collate "C" desc limit ${$('limit')}
  ) u ${runs}
  order by u.scheduled_for desc, u.group_name collate "C" desc, u.cause collate "C" desc`,
);

const selectInserted = `
  select ${columns} from (${fired('$1')}) u
  join jsonb_to_recordset($2::jsonb) as k (group_name text, at timestamptz)
    on k.group_name = u.group_name and k.at = u.scheduled_for
  ${runs} order by u.scheduled_for, u.group_name collate "C"`;
