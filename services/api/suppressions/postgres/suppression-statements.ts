/** Statements of suppression lists. A change of a list has locked its row. */

const columns = 'action_type as "actionType", people::float8 as people, version, changed_at as "changedAt"';

export const selectLists = `select ${columns} from suppression_lists order by action_type`;

/** $1 list. */
export const lockList = `select list_no as "listNo" from suppression_lists where action_type = $1 for update`;

/** Numbers are taken one after the other. */
export const lockNumbers = 'lock table suppression_numbers in share row exclusive mode';

/** $1 list, $2 state. */
export const takeNumber = `
  insert into suppression_numbers (list_no, action_type, state)
  select coalesce(max(list_no), 0) + 1, $1, $2 from suppression_numbers
  returning list_no as "listNo"`;

/** $1 list, $2 number. */
export const insertList = `insert into suppression_lists (action_type, list_no) values ($1, $2)`;

/** $1 number, $2 users, $3 note. Who is on it already stays as they came. */
export const addPeople = `
  insert into suppressed_people (list_no, user_id, note) select $1, user_id, $3 from unnest($2::text[]) k (user_id)
  on conflict do nothing`;

/** $1 number, $2 users. */
export const removePeople = 'delete from suppressed_people where list_no = $1 and user_id = any($2::text[])';

/** $1 list, $2 people more. */
export const moveVersion = `
  update suppression_lists set people = people + $2, version = version + ($2::bigint <> 0)::int,
    changed_at = case when $2::bigint = 0 then changed_at else now() end
  where action_type = $1 returning ${columns}`;

/** $1 user. */
export const selectUser = `
  select l.action_type as "actionType", p.note, p.added_at as "addedAt"
  from suppression_lists l join suppressed_people p on p.list_no = l.list_no and p.user_id = $1
  order by l.action_type`;
