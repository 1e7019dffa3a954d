import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';
import { endOfList, usesOfList } from './list-end.ts';

interface NewList {
  audienceId: string;
  name: string;
  country: string | null;
  attempt: string;
  account: string | null;
  owner: string | null;
}

/**
 * Inserts a list whose upload begins. An unfinished upload of the same id, for example of a repeated request, is
 * replaced; a ready list stays unchanged.
 */
export const insert = statementOf<NewList>(
  'insert-list',
  ($) => `
  insert into audiences (id, name, state, country, attempt, account, owner)
  values (${$('audienceId')}, ${$('name')}, 'receiving', ${$('country')}, ${$('attempt')}, ${$('account')},
    ${$('owner')})
  on conflict (id) do update set name = excluded.name, state = 'receiving', country = excluded.country,
    owner = excluded.owner, attempt = excluded.attempt, bytes = 0, cause = null, received_at = now()
  where audiences.state <> 'ready'`,
);

const columns = `
  id as "audienceId", name, owner, state, users, rows::float8 as rows, duplicates::float8 as duplicates,
    rejected::float8 as rejected, cause, is_kept as kept,
  created_at as "createdAt", ready_at as "readyAt",
  ${usesOfList('campaigns')} as "usedBy", ${usesOfList('saved_audiences')} as "usedBySaved", ${endOfList} as "expiresAt"`;

export const selectOne = `select ${columns} from audiences a where id = $1`;

/** SQL expression of the countries of a list's users, as a jsonb array. */
export const countriesOfList = (list: string) =>
  `coalesce((select jsonb_agg(k) from jsonb_object_keys(${list}.users) k), '[]')`;

/** SQL expression of the number of users of a list in all its countries. */
export const usersOfList = (list: string) =>
  `(select coalesce(sum(value::float8), 0) from jsonb_each_text(${list}.users))`;

interface ListChange {
  audienceId: string;
  /** New name; null leaves the name unchanged. */
  name: string | null;
  owner: string | null;
  /** True if the change sets the owner, which may be null. */
  hasOwner: boolean;
  /** True to keep the list regardless of its age; null leaves the setting unchanged. */
  kept: boolean | null;
}

export const change = statementOf<ListChange>(
  'change-list',
  ($) => `
  update audiences set name = coalesce(${$('name')}, name),
    owner = case when ${$('hasOwner')}::boolean then ${$('owner')} else owner end,
    is_kept = coalesce(${$('kept')}::boolean, is_kept)
  where id = ${$('audienceId')}`,
);

/** Returns rejected rows after a line. Parameters: $1 list, $2 line, $3 limit. */
export const selectRejects = `
  select line::float8 as line, value, rule from audience_rejects where audience = $1 and line > $2 order by line
    limit $3`;

/**
 * Creates the temporary table of uploaded rows. The table is not logged, only this connection sees it, and it is
 * dropped with the connection.
 */
export const createRows = `
  create temporary table upload_rows (
    country text collate "C" not null, user_id text collate "C" not null, line bigint
  )`;

/**
 * Inserts rows. Parameters: $1 countries and $2 users, arrays with one entry a line; $3 their lines, empty if all rows
 * have one country.
 */
export const insertRows = `
  insert into upload_rows
  select * from unnest(string_to_array($1, e'\\n'), string_to_array($2, e'\\n'), $3::bigint[])`;

/** Stores the progress of an upload. Parameters: $1 list, $2 attempt, $3 bytes of user ids received so far. */
export const updateProgress = `update audiences set received_at = now(), bytes = $3 where id = $1 and attempt = $2`;

/**
 * Stores the users in parts, and returns their number. The first row of a user decides the country. Parameters: $1
 * list, $2 users in a part.
 */
export const insertParts = `
  with p as (
  insert into audience_parts (audience, country, last_user, n, users)
  select $1, country, max(user_id), count(*), string_agg(user_id, e'\\n' order by user_id)
  from (
    select country, user_id, (row_number() over (partition by country order by user_id) - 1) / $2::int as part
    from (select distinct on (user_id) country, user_id from upload_rows order by user_id, line) d
  ) numbered
  group by country, part
  returning n
  )
  select coalesce(sum(n), 0)::float8 as users from p`;

/**
 * Returns rows whose country differs from that of the user's first row, with the total number of such rows. Parameter:
 * $1 limit.
 */
export const secondCountries = `
  with firsts as (
    select distinct on (user_id) user_id, country
    from upload_rows
    join (select user_id from upload_rows group by user_id having min(country) <> max(country)) s using (user_id)
    order by user_id, line
  )
  select r.line::float8 as line, r.user_id as "user", (count(*) over ())::float8 as "all"
  from firsts f join upload_rows r using (user_id)
  where r.country <> f.country
  order by r.line
  limit $1`;

/**
 * Marks the list as ready. Updates no row if another upload has replaced this one. Parameters: $1 list, $2 attempt, $3
 * rows, $4 rejected rows.
 */
export const markReady = `
  update audiences set state = 'ready', ready_at = now(), rows = $3, rejected = $4, users = p.users,
    duplicates = $3::bigint - $4::bigint - p.total, bytes = p.bytes
  from (
    select coalesce(jsonb_object_agg(country, n), '{}') as users, coalesce(sum(n), 0) as total,
      coalesce(sum(bytes), 0) as bytes
    from (
      select country, sum(n) as n, sum(octet_length(users)) as bytes from audience_parts where audience = $1
      group by country
    ) c
  ) p
  where id = $1 and attempt = $2 and state = 'receiving'`;

interface FailedUpload {
  audienceId: string;
  attempt: string;
  cause: string;
  rows: number;
  rejected: number;
}

export const markFailed = statementOf<FailedUpload>(
  'fail-upload',
  ($) => `
  update audiences set state = 'failed', bytes = 0, cause = ${$('cause')}, rows = ${$('rows')},
    rejected = ${$('rejected')}
  where id = ${$('audienceId')} and attempt = ${$('attempt')} and state = 'receiving'`,
);

/** Stores rejected rows. Parameters: $1 list, $2 to $4 lines, values and rules. */
export const insertRejects = `
  insert into audience_rejects (audience, line, value, rule)
  select $1, * from unnest($2::bigint[], $3::text[], $4::text[])
  on conflict (audience, line) do update set value = excluded.value, rule = excluded.rule`;
