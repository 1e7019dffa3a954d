import type { Pool } from 'pg';
import type { JobReference } from '../../../shared/domain/job/job-key.ts';
import type { SaidPriority } from '../../../shared/domain/job/priority-bands.ts';
import { plainArray, textArray } from '../../../shared/postgres/connection/array-literals.ts';
import { outletOf } from '../../../shared/postgres/jobs/outlets.ts';
import { deadOwners, isUncalled } from '../../../shared/postgres/jobs/job-nodes.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';
import type { ClientRead, DueReferences, Mark, MarkRange } from '../ports/due-references.ts';

type Row = [
  partition: number,
  dueUs: number,
  jobId: string,
  clientId: string,
  lateMs: number,
  priority: SaidPriority | null,
];

type SkimmedRow = [...Row, read: number];

type HorizonRow = [partition: null, nowUs: number, horizon: string, null, null, null];

/** What is lost, and where all that was asked for was read the last row, be it lost or not. */
type SweptRow = [...Row, isLost: boolean, isLast: boolean];

/** What is the client's, and where as many rows were read as asked for the last of them, be it the client's or not. */
type ClientRow = [...Row, isOwn: boolean, isLast: boolean, range: number];

/** @param deps.pool for the hot path: these statements run a hundred times a second and must keep one good plan */
export function createDueReferences({ pool }: { pool: Pool }): DueReferences {
  return {
    look: async (marks, limit, nearMs) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const after = markParams(marks);
      const { rows } = await pool.query<Row>({
        ...lookAhead.with({ partitions, ...after, limit, nearMs }),
        rowMode: 'array',
      });
      const due = rows.filter(([, , , , lateMs]) => lateMs >= 0);
      const nextInMs = rows.reduce((least, row) => (row[4] < 0 ? Math.min(least, -row[4]) : least), Infinity);
      const lateMs = due.reduce((most, row) => Math.max(most, row[4]), 0);
      return { due: due.map(referenceOf), nextInMs: due.length < rows.length ? nextInMs : null, lateMs };
    },
    skim: async (marks, limit) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const { rows } = await pool.query<SkimmedRow>({
        ...skimDue.with({ partitions, ...markParams(marks), ...skipParams(marks), limit }),
        rowMode: 'array',
      });
      const isFull = rows.some(([, , , , , , read]) => read === limit);
      const lateMs = rows.reduce((most, row) => Math.max(most, row[4]), 0);
      return { due: rows.map(referenceOf), isFull, lateMs };
    },
    lookLate: async (marks, horizon) => {
      const partitions = plainArray(marks.map(({ partition }) => partition));
      const statement = lookLate.with({ partitions, ...markParams(marks), horizon });
      const { rows } = await pool.query<Row | HorizonRow>({ ...statement, rowMode: 'array' });
      const late: JobReference[] = [];
      let [next, nowUs] = ['', 0];
      for (const row of rows) {
        if (row[0] === null) [, nowUs, next] = row;
        else late.push(referenceOf(row));
      }
      return { late, horizon: next, nowUs };
    },
    lookOf: async (ranges, rows) => {
      const clients = plainArray(ranges.map(({ clientId }) => clientId));
      const limits = plainArray(ranges.map(({ limit }) => limit));
      const isSaid = ranges.some(({ priority }) => priority);
      const priorities = isSaid ? plainArray(ranges.map(({ priority }) => priority ?? 'NULL')) : '{}';
      const read = await pool.query<ClientRow>({
        ...lookOfClients.with({ ...rangeParams(ranges), clients, priorities, limits, rows }),
        rowMode: 'array',
      });
      const byRange = Map.groupBy(read.rows, ([, , , , , , , , range]) => range);
      return ranges.map(({ limit }, place) => clientReadOf(byRange.get(place + 1) ?? [], limit));
    },
    sweep: async (ranges, limit) => {
      const { rows } = await pool.query<SweptRow>({
        ...sweepDue.with({ ...rangeParams(ranges), ...skipParams(ranges), limit }),
        rowMode: 'array',
      });
      const found = rows.filter(([, , , , , , isLost]) => isLost).map(referenceOf);
      const last = rows.filter(([, , , , , , , isLast]) => isLast).map(referenceOf);
      return { found, readUpTo: new Map(last.map(({ partition, dueUs, jobId }) => [partition, { dueUs, jobId }])) };
    },
    sweepLapsed: async (ranges, limit) => {
      const statement = sweepLapsed.with({ ...rangeParams(ranges), limit });
      const { rows } = await pool.query<Row>({ ...statement, rowMode: 'array' });
      return rows.map(referenceOf);
    },
  };
}

function clientReadOf(rows: readonly ClientRow[], limit: number): ClientRead {
  const found = rows.filter(([, , , , , , isOwn]) => isOwn).map(referenceOf);
  const last = found.length < limit ? rows.find(([, , , , , , , isLast]) => isLast) : rows.at(-1);
  if (!last) return { found, readUpTo: null };
  const { dueUs, jobId } = referenceOf(last);
  return { found, readUpTo: { dueUs, jobId } };
}

function referenceOf(row: Row | SkimmedRow | SweptRow | ClientRow): JobReference {
  const [partition, dueUs, jobId, clientId, , priority] = row;
  const reference = { partition, dueUs: Math.round(dueUs), jobId, clientId };
  return priority === null ? reference : { ...reference, priority };
}

/** Bands as `bandOf` names them: an outlet's own id is that of what says no priority. */
function skipParams(marks: readonly { skip: readonly string[] }[]) {
  const isSaid = (band: string) => band.includes('/');
  return {
    skips: textArray(marks.map(({ skip }) => plainArray(skip.filter((band) => !isSaid(band))))),
    bands: textArray(marks.map(({ skip }) => plainArray(skip.filter(isSaid)))),
  };
}

function markParams(marks: readonly Mark[]) {
  return {
    dues: plainArray(marks.map(({ dueUs }) => dueUs)),
    ids: plainArray(marks.map(({ jobId }) => jobId)),
  };
}

function rangeParams(ranges: readonly MarkRange[]) {
  const until = markParams(ranges.map((range) => range.until));
  return {
    partitions: plainArray(ranges.map(({ partition }) => partition)),
    ...markParams(ranges.map(({ after }) => after)),
    untilDues: until.dues,
    untilIds: until.ids,
  };
}

interface MarkParams {
  partitions: string;
  dues: string;
  ids: string;
}

/** By mark, what is passed over: outlets, and bands of those with another priority. */
interface SkipParams {
  skips: string;
  bands: string;
}

interface RangeParams extends MarkParams {
  untilDues: string;
  untilIds: string;
}

const instant = (microseconds: string) => `('epoch'::timestamptz + ${microseconds} * interval '1 microsecond')`;
/**
 * `date_part` makes no `numeric` on its way; once rounded it is right to the microsecond until the year 2100, and what
 * is looked at is due.
 */
const reference = (late: string, outlet = outletOf('t')) =>
  `t.partition_id, date_part('epoch', t.due_at) * 1000000, t.id::text, ${outlet}::text, ${late}, t.priority`;
const marksOf = ($: (param: 'partitions' | 'dues' | 'ids') => string) =>
  `unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[]) w (p, due, id)`;
const rangesOf = ($: (param: keyof RangeParams) => string) =>
  `unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[], ${$('untilDues')}::int8[], ${$('untilIds')}::uuid[])
     w (p, due, id, until_due, until_id)`;
const skipped = 'cross join lateral (select w.skip::uuid[] as clients, w.bands::text[] as bands offset 0) s';
/** Of a row with its outlet: its band is not skipped. Most rows say no priority, and are compared as ids. */
const isWanted = `case when t.priority is null then t.outlet <> all (s.clients)
      else t.outlet::text || '/' || t.priority <> all (s.bands) end`;
/** What a dispatcher that has died had claimed is free, however long its lease. */
const isLive = `exists (
  select from fires f where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id
    and f.lease_until >= now() and f.owner <> all (${deadOwners}))`;

/** A mark makes the look cost what is new: beside 300,000 dead rows, 2 ms and not 286. */
export const lookAhead = statementOf<MarkParams & { limit: number; nearMs: number }>(
  'look-ahead',
  ($) => `
  select d.* from ${marksOf($)}
  cross join lateral (
    select ${reference(`date_part('epoch', now() - t.due_at) * 1000`)} from jobs t
    where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id)
      and t.due_at <= now() + ${$('nearMs')}::float8 * interval '1 millisecond'
    order by t.due_at, t.id limit ${$('limit')}::int4
  ) d`,
);

/** Rows of those who are skipped cost a comparison here, and nothing on the way to the scheduler and in it. */
export const skimDue = statementOf<MarkParams & SkipParams & { limit: number }>(
  'skim-due',
  ($) => `
  select d.* from unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[],
    ${$('skips')}::text[], ${$('bands')}::text[]) w (p, due, id, skip, bands)
  ${skipped}
  cross join lateral (
    select ${reference(`date_part('epoch', now() - t.due_at) * 1000`, 't.outlet')}, t.read::int4 from (
      select r.*, row_number() over (order by r.due_at, r.id) as place, count(*) over () as read from (
        select t.partition_id, t.due_at, t.id, ${outletOf('t')} as outlet, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id) and t.due_at <= now()
        order by t.due_at, t.id limit ${$('limit')}::int4
      ) r
    ) t
    where t.place = t.read or ${isWanted}
    order by t.due_at, t.id
  ) d`,
);

/**
 * Of the second before the marks, the rows of transactions that were under way when the late look before began, or
 * began after it. `age` compares across the wrap-around of transaction ids. At 20,000 a second the whole second is
 * 20,000 rows four times a second, and took 50 ms each. What fell due ten seconds ago is the sweep's: a crowd that only
 * waits, before a mark that stands still, is not read for ever.
 */
export const lookLate = statementOf<MarkParams & { horizon: string | null }>(
  'look-late',
  ($) => `
  select d.* from ${marksOf($)}
  cross join lateral (
    select ${reference('0::float8')} from jobs t
    where t.partition_id = w.p
      and t.due_at > greatest(${instant('w.due')} - interval '1 second', now() - interval '10 seconds')
      and (t.due_at, t.id) <= (${instant('w.due')}, w.id)
      and case when ${$('horizon')}::xid8 is null then true else age(t.xmin) <= age(${$('horizon')}::xid8::xid) end
      and not ${isLive}
    order by t.due_at, t.id
  ) d
  union all
  select null, date_part('epoch', clock_timestamp()) * 1000000, pg_snapshot_xmin(pg_current_snapshot())::text, null,
    null, null`,
);

/**
 * A client that is behind may be so by hours: what it has under way lies before its mark, or is claimed. Others' rows
 * between its own cost a comparison, and are read so many at a time.
 */
export const lookOfClients = statementOf<
  RangeParams & { clients: string; priorities: string; limits: string; rows: number }
>(
  'look-of-clients',
  ($) => `
  select d.*, w.place::int4 from unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[],
    ${$('untilDues')}::int8[], ${$('untilIds')}::uuid[], ${$('clients')}::uuid[], ${$('limits')}::int4[],
    ${$('priorities')}::text[]) with ordinality w (p, due, id, until_due, until_id, client, most, priority, place)
  cross join lateral (
    select ${reference('0::float8', 't.outlet')}, t.is_own and f.live is null, t.is_last from (
      select r.*, row_number() over (order by r.due_at, r.id) = ${$('rows')}::int4 as is_last,
        r.outlet = w.client and r.priority is not distinct from w.priority as is_own
      from (
        select t.partition_id, t.due_at, t.id, ${outletOf('t')} as outlet, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id)
          and (t.due_at, t.id) <= (${instant('w.until_due')}, w.until_id)
        order by t.due_at, t.id limit ${$('rows')}::int4
      ) r
    ) t
    left join lateral (
      select true as live from fires f
      where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id and f.lease_until >= now()
        and f.owner <> all (${deadOwners}) and t.is_own limit 1
    ) f on true
    where t.is_own and f.live is null or t.is_last
    order by t.due_at, t.id limit w.most
  ) d`,
);

/**
 * A skipped client costs a comparison: a crowd that waits in `jobs` must not keep the sweep from what lies behind it.
 */
export const sweepDue = statementOf<RangeParams & SkipParams & { limit: number }>(
  'sweep-due',
  ($) => `
  select d.* from unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[],
    ${$('untilDues')}::int8[], ${$('untilIds')}::uuid[], ${$('skips')}::text[], ${$('bands')}::text[])
    w (p, due, id, until_due, until_id, skip, bands)
  ${skipped}
  cross join lateral (
    select ${reference('0::float8', 't.outlet')}, ${isWanted} and f.live is null, t.is_last from (
      select r.*, row_number() over (order by r.due_at, r.id) = ${$('limit')}::int4 as is_last from (
        select t.partition_id, t.due_at, t.id, ${outletOf('t')} as outlet, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id)
          and (t.due_at, t.id) <= (${instant('w.until_due')}, w.until_id)
        order by t.due_at, t.id limit ${$('limit')}::int4
      ) r
    ) t
    left join lateral (
      select true as live from fires f
      where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id and f.lease_until >= now()
        and ${isWanted} limit 1
    ) f on true
    where ${isWanted} and f.live is null or t.is_last
    order by t.due_at, t.id
  ) d`,
);

/** From the side of the claims: of what is due, nearly all may be waiting for its first one. */
export const sweepLapsed = statementOf<RangeParams & { limit: number }>(
  'sweep-lapsed',
  ($) => `
  select d.* from ${rangesOf($)}
  cross join lateral (
    select ${reference('0::float8')} from fires f
    cross join lateral (
      select * from jobs j where j.partition_id = f.partition_id and j.due_at = f.due_at and j.id = f.id limit 1
    ) t
    where f.partition_id = w.p and (f.due_at, f.id) > (${instant('w.due')}, w.id)
      and (f.due_at, f.id) <= (${instant('w.until_due')}, w.until_id)
      and (f.lease_until < now() or ${isUncalled('f')} and f.owner = any(${deadOwners}))
    order by f.due_at, f.id limit ${$('limit')}::int4
  ) d`,
);
