import pg from 'pg';

/** Returns SQL that sets a role's password: `alter role` accepts no parameters. */
export function passwordSql(role: string, password: string): string {
  return `alter role ${pg.escapeIdentifier(role)} password ${pg.escapeLiteral(password)}`;
}

/**
 * Returns SQL for a role with a schema of its own. Sandbox and connectors stand in for services of other teams on the
 * same server, and must not see Muster's data.
 */
export function ownSchemaSql(role: string, schema: string): string {
  const [name, literal, own] = [pg.escapeIdentifier(role), pg.escapeLiteral(role), pg.escapeIdentifier(schema)];
  return `
do $$
begin
  if not exists (select from pg_roles where rolname = ${literal}) then
    create role ${name} login;
  end if;
  execute format('grant connect on database %I to %I', current_database(), ${literal});
end $$;
create schema if not exists ${own};
alter schema ${own} owner to ${name};
alter role ${name} set search_path = ${own};
`;
}
