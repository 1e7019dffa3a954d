import type { Knex } from 'knex';

/** What a key may do, and who has the console open (docs/decisions/0034-sessions-and-roles.md). */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The keys that there are may do everything, as before.
    alter table api_keys add role text not null default 'operator' check (role in ('viewer', 'manager', 'operator'));

    -- Log-ins by key, under the SHA-256 of what is in the cookie. What has expired is swept; nothing refers to it.
    create table sessions (
      digest text primary key,
      api_key uuid not null references api_keys on delete cascade,
      created_at timestamptz not null default now(),
      -- Moves on while it is used.
      idle_until timestamptz not null,
      expires_at timestamptz not null
    );
    create index sessions_of_key on sessions (api_key);
    create index sessions_by_end on sessions (least(idle_until, expires_at));

    -- Links that open a session once. A used one is deleted.
    create table session_links (
      digest text primary key,
      api_key uuid not null references api_keys on delete cascade,
      expires_at timestamptz not null
    );
    create index session_links_by_end on session_links (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table session_links, sessions;
    alter table api_keys drop role;
  `);
}
