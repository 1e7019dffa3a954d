/**
 * Tables of objects that consist only of a name and revised definitions, each with the column of `revisions` that
 * refers to it.
 */
type Revised = readonly ['templates', 'template'] | readonly ['saved_audiences', 'saved_audience'];

/** Returns the statement that inserts an object with its first revision. Parameters: id, definition, account. */
export const insertRevised = (...[table, subject]: Revised): string => `
  with s as (
    insert into ${table} (id, name, account) values ($1, $2::jsonb ->> 'name', $3) on conflict (id) do nothing
    returning id
  )
  insert into revisions (${subject}, revision, definition, account) select id, 1, $2::jsonb, $3 from s`;

/**
 * Returns the statement that inserts the next revision if the object still has the given revision. Parameters: id,
 * revision, definition, account.
 */
export const insertNextRevision = (...[table, subject]: Revised): string => `
  with s as (
    update ${table} set revision = revision + 1, name = $3::jsonb ->> 'name', updated_at = now()
    where id = $1 and revision = $2 returning id, revision
  )
  insert into revisions (${subject}, revision, definition, account)
  select id, revision, $3::jsonb, $4 from s`;
