import type { Pool } from 'pg';
import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import type { CallerCounts } from '../caller-counter.ts';

export const maxStoredPeople = 1000;

/** Returns a function that adds counts to the stored ones in one statement. Counts of deleted keys are skipped. */
export function createCallerCountStore({ pool }: { pool: Pool }) {
  return async ({ refusals, calls, people }: CallerCounts): Promise<void> => {
    await pool.query(
      addCounts.with({
        keys: refusals.map(({ key }) => key),
        counts: refusals.map(({ count }) => count),
        agesMs: refusals.map(({ lastAgoMs }) => lastAgoMs),
        froms: refusals.map(({ lastFrom }) => lastFrom),
        callers: calls.map(({ key }) => key),
        operations: calls.map(({ operation }) => operation),
        done: calls.map(({ done }) => done),
        refused: calls.map(({ refused }) => refused),
        failed: calls.map(({ failed }) => failed),
        callAgesMs: calls.map(({ lastAgoMs }) => lastAgoMs),
        issuers: people.map(({ issuer }) => issuer),
        subjects: people.map(({ subject }) => subject),
        names: people.map(({ name }) => name),
        codes: people.map(({ code }) => code),
        details: people.map(({ detail }) => detail),
        times: people.map(({ count }) => count),
        personAgesMs: people.map(({ lastAgoMs }) => lastAgoMs),
        personFroms: people.map(({ lastFrom }) => lastFrom),
      }),
    );
  };
}

interface AddParams {
  keys: string[];
  counts: number[];
  agesMs: number[];
  froms: (string | null)[];
  callers: string[];
  operations: string[];
  done: number[];
  refused: number[];
  failed: number[];
  callAgesMs: number[];
  issuers: string[];
  subjects: string[];
  names: (string | null)[];
  codes: string[];
  details: string[];
  times: number[];
  personAgesMs: number[];
  personFroms: (string | null)[];
}

/** SQL condition that the person was let in after the last refusal, so that the count begins again. */
const wasLetIn = `exists (select from api_keys k
      where k.issuer = p.issuer and k.subject = p.subject and k.last_used_at > p.last_at)`;

/**
 * Adds counts. Rows are locked in a fixed order, because several processes may add counts at the same time. The
 * statement also deletes calls older than 7 days, in larger batches than it adds, and the oldest refused people if
 * there are too many.
 */
const addCounts = statementOf<AddParams>(
  'add-caller-notes',
  ($) => `
  with counted as (
    select w.key, w.count, now() - w.age_ms * interval '1 ms' as at, w.place
    from unnest(${$('keys')}::uuid[], ${$('counts')}::int8[], ${$('agesMs')}::float8[], ${$('froms')}::text[])
      w (key, count, age_ms, place)
  ), locked as (
    select id from api_keys where id = any(${$('keys')}::uuid[]) order by id for no key update
  ), refusals as (
    update api_keys k set refused_count = k.refused_count + c.count,
      last_refused_at = greatest(k.last_refused_at, c.at),
      last_refused_from = case when c.at >= coalesce(k.last_refused_at, c.at) then c.place else k.last_refused_from end
    from locked l join counted c on c.key = l.id where k.id = l.id
  ), calls as (
    insert into api_key_calls as a (api_key, day, operation, done, refused, failed, last_at)
    select w.key, (now() at time zone 'UTC')::date, w.operation, w.done, w.refused, w.failed,
      now() - w.age_ms * interval '1 ms'
    from unnest(${$('callers')}::uuid[], ${$('operations')}::text[], ${$('done')}::int8[], ${$('refused')}::int8[],
      ${$('failed')}::int8[], ${$('callAgesMs')}::float8[]) w (key, operation, done, refused, failed, age_ms)
    order by w.key, w.operation
    on conflict (api_key, day, operation) do update set done = a.done + excluded.done,
      refused = a.refused + excluded.refused, failed = a.failed + excluded.failed,
      last_at = greatest(a.last_at, excluded.last_at)
  ), old_calls as (
    delete from api_key_calls where ctid = any(array(
      select ctid from api_key_calls where day < (now() at time zone 'UTC')::date - 7 limit 5000
      for update skip locked))
  ), refused as (
    select w.issuer, w.subject, w.name, w.code, w.detail, w.count, now() - w.age_ms * interval '1 ms' as at, w.place
    from unnest(${$('issuers')}::text[], ${$('subjects')}::text[], ${$('names')}::text[], ${$('codes')}::text[],
      ${$('details')}::text[], ${$('times')}::int8[], ${$('personAgesMs')}::float8[], ${$('personFroms')}::text[])
      w (issuer, subject, name, code, detail, count, age_ms, place)
  ), old_people as (
    delete from refused_people where ctid = any(array(
      select p.ctid from refused_people p
      where cardinality(${$('subjects')}::text[]) > 0 and (p.last_at < now() - interval '30 days' or p.last_at < (
          select last_at from refused_people order by last_at desc offset ${maxStoredPeople - 1} limit 1))
        and not exists (select from refused s where s.issuer = p.issuer and s.subject = p.subject)
      for update skip locked))
  )
  insert into refused_people as p (issuer, subject, name, code, detail, count, first_at, last_at, last_from)
  select s.issuer, s.subject, s.name, s.code, s.detail, s.count, s.at, s.at, s.place from refused s
  order by s.issuer, s.subject
  on conflict (issuer, subject) do update set name = coalesce(excluded.name, p.name), code = excluded.code,
    detail = excluded.detail, last_at = greatest(p.last_at, excluded.last_at), last_from = excluded.last_from,
    count = excluded.count + case when ${wasLetIn} then 0 else p.count end,
    first_at = case when ${wasLetIn} then excluded.first_at else p.first_at end`,
);
