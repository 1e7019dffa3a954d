import { endpointIdOf } from '../../../shared/postgres/jobs/endpoint-ids.ts';
import { deadOwners, isUncalled } from '../../../shared/postgres/jobs/job-nodes.ts';
import { statementOf } from '../../../shared/postgres/connection/statement.ts';

interface MarkParams {
  partitions: string;
  dues: string;
  ids: string;
}

/** Array in Postgres's text or binary format. */
type ArrayParam = string | Buffer;

/**
 * Bands (a client's endpoint and a priority) to skip. `everywhere`: endpoints to skip in all partitions that the
 * statement reads. `partly`: endpoints to skip in some partitions, with these partitions as bits in `partlyIn`.
 * `bands`: bands whose priority is not normal, with their partitions as bits in `bandsIn`.
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
 * SQL for the columns of a job reference. `date_part` avoids the slow type `numeric`, and is exact to the microsecond
 * until the year 2100.
 */
const reference = (late: string, endpointId = endpointIdOf('t')) =>
  `t.partition_id, date_part('epoch', t.due_at) * 1000000, t.id::text, ${endpointId}::text, ${late}, t.priority`;
const marksOf = ($: (param: 'partitions' | 'dues' | 'ids') => string) =>
  `unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[]) w (p, due, id)`;
const rangesOf = ($: (param: keyof RangeParams) => string) =>
  `unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[], ${$('untilDues')}::int8[], ${$('untilIds')}::uuid[])
     w (p, due, id, until_due, until_id)`;
/**
 * SQL for all pairs of a value and one of its partitions. In the number that belongs to a value, bit n is set for
 * partition n (0 to 63). On the right side of `in`, Postgres hashes the pairs once per statement. `array_position`
 * would compare each row with all values instead.
 */
const valuesByPartition = (values: string, numbers: string) => `
  (select v.value, p::int2 from unnest(${values}, ${numbers}) v (value, bits), generate_series(0, 63) p
   where (v.bits >> p) & 1 = 1)`;
/** SQL for the band of a row whose priority is not normal, in the format of `bandOf`. */
const bandOfRow = `(t.endpoint_id::text || '/' || t.priority)`;
/**
 * Condition that the band of row `t` is not skipped. Postgres hashes each list once per statement, so the cost per row
 * does not depend on the number of bands. Most rows have no priority; their endpoint's id is compared.
 */
const isWanted = ($: (param: keyof SkipParams) => string) => `case
      when t.priority is not null then
        (${bandOfRow}, t.partition_id) not in ${valuesByPartition(`${$('bands')}::text[]`, `${$('bandsIn')}::int8[]`)}
      when t.endpoint_id in (select unnest(${$('everywhere')}::uuid[])) then false
      else (t.endpoint_id, t.partition_id) not in
        ${valuesByPartition(`${$('partly')}::uuid[]`, `${$('partlyIn')}::int8[]`)}
      end`;
/**
 * Condition that a live dispatcher has claimed row `t`. The claim of a dead dispatcher does not count, even if its
 * lease has not expired.
 */
const isLive = `exists (
  select from job_claims f where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id
    and f.lease_until >= now() and f.owner <> all (${deadOwners}))`;

/**
 * Reads due jobs after the marks. The cost depends only on new rows: with 300,000 dead rows (deleted, but not vacuumed)
 * in the table, the statement takes 2 ms instead of 286.
 */
export const scanDue = statementOf<MarkParams & { limit: number; nearMs: number }>(
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
 * Reads all rows of any client, as arrays in binary format. The scheduler itself decides which rows to skip, so that it
 * sends no list of bands. A row costs Postgres 1.6 to 2 µs of CPU time; in text format, it would cost 2.8 to 3.2 µs. If
 * window functions found the ends of a band's rows in Postgres, a row would cost 2.7 µs. Few jobs have a priority, so
 * priorities are returned as a list with job ids.
 */
export const peekDue = statementOf<MarkParams & { limit: number }>(
  'peek-due',
  ($) => `
  select w.p, d.* from ${marksOf($)}
  cross join lateral (
    select date_part('epoch', now() - min(t.due_at)) * 1000, array_send(array_agg(t.due_at)),
      array_send(array_agg(t.id)), array_send(array_agg(t.endpoint_id)),
      string_agg(case when t.priority is not null then t.id::text || '/' || t.priority end, ',')
    from (
      select t.due_at, t.id, ${endpointIdOf('t')} as endpoint_id, t.priority from jobs t
      where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id) and t.due_at <= now()
      order by t.due_at, t.id limit ${$('limit')}::int4
    ) t
    having count(*) > 0
  ) d`,
);

/**
 * Reads rows in the last second before the marks. A row is read only if its transaction was in progress at the previous
 * late scan or began later; the parameter `horizon` is the oldest such transaction. `age` compares transaction ids
 * correctly even when they wrap around. Without the horizon, at 20,000 jobs per second, each late scan would read
 * 20,000 rows in 50 ms, four times a second. Jobs that were due more than ten seconds ago are left to the sweep, so
 * that a backlog before a mark is not read again and again.
 */
export const scanLate = statementOf<MarkParams & { horizon: string | null }>(
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
 * Reads ranges that begin and end at a row of their client. If the scheduler has joined ranges, rows of other clients
 * may lie in between. Each costs one comparison, and counts towards `rows`.
 */
export const readOfClients = statementOf<
  RangeParams & { clients: string; priorities: string; limits: string; rows: number }
>(
  'look-of-clients',
  ($) => `
  select d.*, w.place::int4 from unnest(${$('partitions')}::int2[], ${$('dues')}::int8[], ${$('ids')}::uuid[],
    ${$('untilDues')}::int8[], ${$('untilIds')}::uuid[], ${$('clients')}::uuid[], ${$('limits')}::int4[],
    ${$('priorities')}::text[]) with ordinality w (p, due, id, until_due, until_id, client, most, priority, place)
  cross join lateral (
    select ${reference('0::float8', 't.endpoint_id')}, t.is_own and f.live is null, t.is_last from (
      select r.*, row_number() over (order by r.due_at, r.id) = ${$('rows')}::int4 as is_last,
        r.endpoint_id = w.client and r.priority is not distinct from w.priority as is_own
      from (
        select t.partition_id, t.due_at, t.id, ${endpointIdOf('t')} as endpoint_id, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) >= (${instant('w.due')}, w.id)
          and (t.due_at, t.id) <= (${instant('w.until_due')}, w.until_id)
        order by t.due_at, t.id limit ${$('rows')}::int4
      ) r
    ) t
    left join lateral (
      select true as live from job_claims f
      where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id and f.lease_until >= now()
        and f.owner <> all (${deadOwners}) and t.is_own limit 1
    ) f on true
    where t.is_own and f.live is null or t.is_last
    order by t.due_at, t.id limit w.most
  ) d`,
);

/**
 * Reads jobs that are not being called. A skipped row costs only one comparison, so the sweep advances even through a
 * backlog.
 */
export const sweepDue = statementOf<RangeParams & SkipParams & { limit: number }>(
  'sweep-due',
  ($) => `
  select d.* from ${rangesOf($)}
  cross join lateral (
    select ${reference('0::float8', 't.endpoint_id')}, t.is_wanted and f.live is null, t.is_last from (
      select t.*, row_number() over (order by t.due_at, t.id) = ${$('limit')}::int4 as is_last,
        ${isWanted($)} as is_wanted
      from (
        select t.partition_id, t.due_at, t.id, ${endpointIdOf('t')} as endpoint_id, t.priority from jobs t
        where t.partition_id = w.p and (t.due_at, t.id) > (${instant('w.due')}, w.id)
          and (t.due_at, t.id) <= (${instant('w.until_due')}, w.until_id)
        order by t.due_at, t.id limit ${$('limit')}::int4
      ) t
    ) t
    left join lateral (
      select true as live from job_claims f
      where f.partition_id = t.partition_id and f.due_at = t.due_at and f.id = t.id and f.lease_until >= now()
        and t.is_wanted limit 1
    ) f on true
    where t.is_wanted and f.live is null or t.is_last
    order by t.due_at, t.id
  ) d`,
);

/**
 * Reads jobs whose claims have an expired lease. The statement starts from the claims, because nearly all due jobs may
 * still wait for their first claim.
 */
export const sweepLapsed = statementOf<RangeParams & { limit: number }>(
  'sweep-lapsed',
  ($) => `
  select d.* from ${rangesOf($)}
  cross join lateral (
    select ${reference('0::float8')} from job_claims f
    cross join lateral (
      select * from jobs j where j.partition_id = f.partition_id and j.due_at = f.due_at and j.id = f.id limit 1
    ) t
    where f.partition_id = w.p and (f.due_at, f.id) > (${instant('w.due')}, w.id)
      and (f.due_at, f.id) <= (${instant('w.until_due')}, w.until_id)
      and (f.lease_until < now() or ${isUncalled('f')} and f.owner = any(${deadOwners}))
    order by f.due_at, f.id limit ${$('limit')}::int4
  ) d`,
);
