/** Tables of subjects that are only a named definition, with the column of `revisions` that names them. */
type Revised = readonly ['templates', 'template'] | readonly ['saved_audiences', 'saved_audience'];

/** Statement that inserts a subject with its first revision. Parameters: id, definition, account. */
export const insertRevised = (...[table, subject]: Revised): string => `
  with s as (
    insert into ${table} (id, name, account) values ($1, $2::jsonb ->> 'name', $3) on conflict (id) do nothing
    returning id
  )
  insert into revisions (${subject}, revision, definition, account) select id, 1, $2::jsonb, $3 from s`;

/**
 * Statement that inserts the next revision, if the subject still has the given one. Parameters: id, revision,
 * definition, account.
 */
export const insertNextRevision = (...[table, subject]: Revised): string => `
  with s as (
    update ${table} set revision = revision + 1, name = $3::jsonb ->> 'name', updated_at = now()
    where id = $1 and revision = $2 returning id, revision
  )
  insert into revisions (${subject}, revision, definition, account)
  select id, revision, $3::jsonb, $4 from s`;
