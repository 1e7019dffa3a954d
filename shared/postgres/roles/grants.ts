import pg, { type Pool } from 'pg';
import { rights } from './rights.ts';

export const roleNames = ['owner', 'engine', 'api', 'reader'] as const;

export type RoleName = (typeof roleNames)[number];

const served = ['engine', 'api', 'reader'] as const;

export function nameOfRole(prefix: string, role: RoleName): string {
  return `${prefix}_${role}`;
}

/**
 * Returns SQL for the roles of an installation, to be run in its database by a role that may create roles. Objects
 * belong to the owner, and each other role gets the rights that its services need. One transaction, which may be run
 * again.
 */
export function grantsSql(prefix: string): string {
  const name = (role: RoleName) => pg.escapeIdentifier(nameOfRole(prefix, role));
  const literals = roleNames.map((role) => pg.escapeLiteral(nameOfRole(prefix, role)));
  return `-- The roles of Muster. Run this file in the installation's database, as a superuser, or as a role that may
-- create roles and is a member of ${nameOfRole(prefix, 'owner')}. A new role has no password,
-- and cannot log in until it gets one. docs/postgres.md lists which service uses which role.
begin;

do $$
declare
  each text;
begin
  foreach each in array array[${literals.join(', ')}] loop
    if not exists (select from pg_roles where rolname = each) then
      execute format('create role %I login', each);
    end if;
    execute format('grant connect on database %I to %I', current_database(), each);
  end loop;
  execute format('revoke all on database %I from public', current_database());
  -- The API collects uploads in temporary tables.
  execute format('grant temporary on database %I to %I', current_database(), ${literals[roleNames.indexOf('api')]});
end $$;

revoke all on schema public from public;
grant usage, create on schema public to ${name('owner')};
grant usage on schema public to ${served.map(name).join(', ')};

-- All objects get the owner role, except for objects that belong to an extension.
do $$
declare
  each text;
begin
  for each in
    select format('alter %s %s owner to %I',
      case c.relkind when 'v' then 'view' when 'S' then 'sequence' else 'table' end, c.oid::regclass, o.rolname)
    from pg_class c join pg_roles o on o.rolname = ${literals[0]}
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'S') and c.relowner <> o.oid
      and not exists (
        select from pg_depend d where d.classid = 'pg_class'::regclass and d.objid = c.oid
          and (d.deptype = 'e' or c.relkind = 'S' and d.deptype in ('a', 'i')))
    union all
    select format('alter routine %s owner to %I', p.oid::regprocedure, o.rolname)
    from pg_proc p join pg_roles o on o.rolname = ${literals[0]}
    where p.pronamespace = 'public'::regnamespace and p.proowner <> o.oid
      and not exists (
        select from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
  loop
    execute each;
  end loop;
end $$;
${rightsSql(prefix)}
commit;
`;
}

/**
 * Returns SQL that grants each role its rights on the present tables and functions, run by the owner after each
 * migration. Does nothing before the first migration.
 */
export function rightsSql(prefix: string): string {
  const name = (role: RoleName) => pg.escapeIdentifier(nameOfRole(prefix, role));
  const all = served.map(name).join(', ');
  return `
do $rights$
declare
  each text;
begin
  if to_regclass('public.installation') is null then
    return;
  end if;
  -- Functions that run with the rights of the owner may be called only by the roles that need them.
  for each in
    select format('revoke execute on routine %s from public', p.oid::regprocedure) from pg_proc p
    where p.pronamespace = 'public'::regnamespace and p.prosecdef
  loop
    execute each;
  end loop;
  revoke all on all tables in schema public from ${all};
  revoke all on all routines in schema public from ${all};
${served.map((role) => grantsOf(role, name(role))).join('')}end $rights$;
`;
}

function grantsOf(role: keyof typeof rights, to: string): string {
  const { tables, functions } = rights[role];
  const byVerbs = Map.groupBy(Object.entries(tables), ([, verbs]) => verbs);
  const onTables = [...byVerbs].map(
    ([verbs, of]) => `  grant ${verbs} on\n${listed(of.map(([table]) => table))} to ${to};\n`,
  );
  const onFunctions = functions.length === 0 ? '' : `  grant execute on function\n${listed(functions)} to ${to};\n`;
  return `${onTables.join('')}${onFunctions}`;
}

const lineLength = 100;

function listed(names: readonly string[]): string {
  const lines = [''];
  for (const [place, each] of names.entries()) {
    const word = place === names.length - 1 ? each : `${each},`;
    const line = lines.at(-1) ?? '';
    if (line.length + word.length + 3 > lineLength) lines.push(word);
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`;
  }
  return lines.map((line) => `    ${line}`).join('\n');
}

export async function applyRights(pool: Pool, prefix: string): Promise<void> {
  await pool.query(rightsSql(prefix));
}
