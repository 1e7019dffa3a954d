import { statementOf } from '../../../../../shared/postgres/connection/statement.ts';

/** Statements of suppression lists. Before a change, the row of the list must be locked. */

const columns = 'action_type as "actionType", people::float8 as people, version, changed_at as "changedAt"';

export const selectLists = `select ${columns} from suppression_lists order by action_type`;

/** Locks a list, and returns its number. Parameters: $1 list. */
export const lockList = `select list_no as "listNo" from suppression_lists where action_type = $1 for update`;

/** Serializes the assignment of numbers to versions of lists. */
export const lockNumbers = 'lock table suppression_list_versions in share row exclusive mode';

/** Assigns a number to a version of a list. Parameters: $1 list, $2 state. */
export const takeNumber = `
  insert into suppression_list_versions (list_no, action_type, state)
  select coalesce(max(list_no), 0) + 1, $1, $2 from suppression_list_versions
  returning list_no as "listNo"`;

/** Inserts a list. Parameters: $1 list, $2 number. */
export const insertList = `insert into suppression_lists (action_type, list_no) values ($1, $2)`;

/**
 * Adds users to a version. Users who are in it already stay unchanged. Parameters: $1 number, $2 users separated by
 * line breaks, $3 note.
 */
export const addLines = `
  insert into suppressed_people (list_no, user_id, note)
  select $1, user_id, $3 from unnest(string_to_array($2, e'\\n')) k (user_id)
  on conflict do nothing`;

/** Removes users from a version. Parameters: $1 number, $2 users. */
export const removePeople = 'delete from suppressed_people where list_no = $1 and user_id = any($2::text[])';

/**
 * Changes the number of people on a list, and increments its version if the number changes. Parameters: $1 list, $2
 * number of added people.
 */
export const moveVersion = `
  update suppression_lists set people = people + $2, version = version + ($2::bigint <> 0)::int,
    changed_at = case when $2::bigint = 0 then changed_at else now() end
  where action_type = $1 returning ${columns}`;

/** Selects the lists that contain a user. Parameters: $1 user. */
export const selectUser = `
  select l.action_type as "actionType", p.note, p.added_at as "addedAt"
  from suppression_lists l join suppressed_people p on p.list_no = l.list_no and p.user_id = $1
  order by l.action_type`;

const uploadColumns = `
  id as "uploadId", action_type as "actionType", mode, state, cause, note, rows::float8 as rows,
  people::float8 as people, rejected::float8 as rejected, rejects, created_at as "createdAt", ended_at as "endedAt"`;

export const selectUpload = `select ${uploadColumns} from suppression_uploads where id = $1`;

/** Selects uploads, newest first. Parameters: $1 limit, $2 id of the last upload of the previous page or null. */
export const selectUploads = `
  select ${uploadColumns} from suppression_uploads where $2::uuid is null or id < $2 order by id desc limit $1`;

interface NewUpload {
  uploadId: string;
  actionType: string;
  mode: string;
  note: string | null;
  /** Number of the version that will replace the list. */
  listNo: number | null;
}

export const insertUpload = statementOf<NewUpload>(
  'insert-suppression-upload',
  ($) => `
  insert into suppression_uploads (id, action_type, mode, state, note, list_no)
  values (${$('uploadId')}, ${$('actionType')}, ${$('mode')}, 'receiving', ${$('note')}, ${$('listNo')})`,
);

/** Stores the progress of an upload. Parameters: $1 upload, $2 people so far. */
export const updateProgress = `
  update suppression_uploads set received_at = now(), people = $2 where id = $1 and state = 'receiving'`;

interface EndedUpload {
  uploadId: string;
  state: string;
  cause: string | null;
  rows: number;
  people: number;
  rejected: number;
  /** Rejected rows as JSON. */
  rejects: string;
}

export const endUpload = statementOf<EndedUpload>(
  'end-suppression-upload',
  ($) => `
  update suppression_uploads set state = ${$('state')}, cause = ${$('cause')}, rows = ${$('rows')},
    people = ${$('people')}, rejected = ${$('rejected')}, rejects = ${$('rejects')}::jsonb, ended_at = now()
  where id = ${$('uploadId')} and state = 'receiving'`,
);

/** Locks a version that is being loaded. Parameters: $1 number. */
export const lockLoading = `
  select list_no as "listNo" from suppression_list_versions where list_no = $1 and state = 'loading' for key share`;

/**
 * Copies users who were added to the list since the upload began. Parameters: $1 number, $2 number in force, $3 upload.
 */
export const copyAddedMeanwhile = `
  insert into suppressed_people (list_no, user_id, note, added_at)
  select $1, user_id, note, added_at from suppressed_people
  where list_no = $2 and added_at >= (select created_at from suppression_uploads where id = $3)
  on conflict do nothing`;

interface AddedPart {
  listNo: number;
  loadedNo: number;
  after: string;
  users: number;
}

/** Copies the next people of a loaded file to the list. `last` is null if there are no more. */
export const addPart = statementOf<AddedPart>(
  'add-suppressed-part',
  ($) => `
  with part as (
    select user_id, note from suppressed_people
    where list_no = ${$('loadedNo')} and user_id > ${$('after')} order by user_id limit ${$('users')}
  ), added as (
    insert into suppressed_people (list_no, user_id, note)
    select ${$('listNo')}, user_id, note from part
    on conflict do nothing
    returning 1
  )
  select (select max(user_id) from part) as last, (select count(*)::float8 from added) as added`,
);

/** Counts the people of a version. Parameters: $1 number. */
export const countPeople = 'select count(*)::float8 as people from suppressed_people where list_no = $1';

/**
 * Counts the people of the version in force ($1), and those of them who are not in the version that replaces it ($2).
 * `except` uses a hash. A left join would search the index for each person, and takes three times as long (5.2 s
 * instead of 1.6 s for a million people).
 */
export const countRemoved = `
  select
    (select count(*)::float8 from suppressed_people where list_no = $1) as people,
    (
      select count(*)::float8 from (
        select user_id from suppressed_people where list_no = $1
        except all
        select user_id from suppressed_people where list_no = $2
      ) r
    ) as removed`;

/** Makes a version the one in force. Parameters: $1 list, $2 number, $3 people. */
export const putInForce = `
  with n as (
    update suppression_list_versions set state = 'in-force' where list_no = $2
  )
  insert into suppression_lists as l (action_type, list_no, people) values ($1, $2, $3)
  on conflict (action_type) do update set list_no = excluded.list_no, people = excluded.people,
    version = l.version + 1, changed_at = now()`;

export const releaseNumber = `update suppression_list_versions set state = 'gone' where list_no = $1`;

/** Selects the lease of the worker that started last. */
export const selectWorkerLease = `
  select value::int as "leaseMs" from service_settings where service = 'worker' and name = 'WORKER_LEASE_MS'`;
