import { outletOf } from '../../../shared/postgres/jobs/outlets.ts';
import { deadOwners, isUncalled } from '../../../shared/postgres/jobs/job-nodes.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';

interface MarkParams {
  partitions: string;
  dues: string;
  ids: string;
}

/** An array in Postgres's own text or binary form. */
type ArrayParam = string | Buffer;

/**
 * Outlets that are passed over in all partitions that are asked for, and those that are in some, with the bits of
 * these. Bands of another priority go by their name, each with its bits.
 */
export interface SkipParams {
  everywhere: ArrayParam;
  partly: ArrayParam;
  partlyIn: ArrayParam;
  bands: ArrayParam;
  bandsIn: ArrayParam;
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
/**
 * Each value with each partition whose bit is set in its number. Partitions are numbers of 64 bits, from 0 on. As the
 * right side of `in` it is hashed once for a statement; `array_position` would compare a row with every value before.
 */
const valuesByPartition = (values: string, numbers: string) => `
  (select v.value, p::int2 from unnest(${values}, ${numbers}) v (value, bits), generate_series(0, 63) p
   where (v.bits >> p) & 1 = 1)`;
/** Band of a row with another priority than normal, as `bandOf` names it. */
const bandOfRow = `(t.outlet::text || '/' || t.priority)`;
/**
 * True of a row `t` with its outlet whose band is not skipped. Each list is hashed once for a statement, so that a row
 * costs the same beside any number of bands. Most rows have no priority of their own, and are compared as ids.
 */
const isWanted = ($: (param: keyof SkipParams) => string) => `case
      when t.priority is not null then
        (${bandOfRow}, t.partition_id) not in ${valuesByPartition(`${$('bands')}::text[]`, `${$('bandsIn')}::int8[]`)}
      when t.outlet in (select unnest(${$('everywhere')}::uuid[])) then false
      else (t.outlet, t.partition_id) not in ${valuesByPartition(`${$('partly')}::uuid[]`, `${$('partlyIn')}::int8[]`)}
      end`;
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

/**
 * All of it comes back, whosever it is, as arrays in binary form: the scheduler finds in them what it passes over, and
 * no list of bands is sent. A row costs Postgres 1.6 to 2 µs of CPU so, and 2.8 to 3.2 as text. Window functions that
 * find where the rows of a band begin and end take 2.7. Few jobs have a priority, so these are named by their ids.
 */
export const skimDue = statementOf<MarkParams & { limit: number }>(
  'skim-due',
  ($) => `
  select w.p, d.* from ${marksOf($)}
  cross join lateral (
    select date_part('epoch', now() - min(t.due_at)) * 1000, array_send(array_agg(t.due_at)),
      array_send(array_agg(t.id)), array_send(array_agg(t.outlet)),
      string_agg(case when t.priority is not null then t.id::text || '/' || t.priority end, ',')
    from (
      select t.due_at, t.id, ${outletOf('t')} as outlet, t.priority from jobs t
      where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id) and t.due_at <= now()
      order by t.due_at, t.id limit ${$('limit')}::int4
    ) t
    having count(*) > 0
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
 * A range begins and ends at a row of its client. Rows of others may lie between where the scheduler has joined ranges;
 * they cost a comparison, and are read so many at a time.
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
        where t.partition_id = w.p and (t.due_at, t.id) >= (${instant('w.due')}, w.id)
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
  select d.* from ${rangesOf($)}
  cross join lateral (
    select ${reference('0::float8', 't.outlet')}, t.is_wanted and f.live is null, t.is_last from (
      select t.*, row_number() over (order by t.due_at, t.id) = ${$('limit')}::int4 as is_last,
        ${isWanted($)} as is_wanted
      from (
        select t.partition_id, t.due_at, t.id, ${outletOf('t')} as outlet, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id)
          and (t.due_at, t.id) <= (${instant('w.until_due')}, w.until_id)
        order by t.due_at, t.id limit ${$('limit')}::int4
      ) t
    ) t
    left join lateral (
      select true as live from fires f
      where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id and f.lease_until >= now()
        and t.is_wanted limit 1
    ) f on true
    where t.is_wanted and f.live is null or t.is_last
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
