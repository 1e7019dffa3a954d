import type { Knex } from 'knex';

/**
 * Audiences of several sources, and uploaded lists. Reasons are in docs/decisions/0023-audiences-as-merged-streams.md and
 * 0024-uploaded-lists.md.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- A segment alone stands in segment and snapshot; whatever is made of more in audience (shared/contracts/runs/feed-audience.ts).
    alter table feeds
      alter segment drop not null,
      alter snapshot drop not null,
      add audience jsonb,
      -- Of fed_users, those who get nothing. They have no rows: the hash of the seed and their id tells who they are.
      add held_out_users bigint not null default 0,
      -- Passed over because an exclusion names them; not in fed_users.
      add excluded_users bigint not null default 0,
      add check (audience is not null or segment is not null and snapshot is not null);

    create table audiences (
      id uuid primary key,
      name text not null,
      state text not null check (state in ('receiving', 'ready', 'failed')),
      -- Of all rows; null where each row has its own.
      country text,
      -- Users by country.
      users jsonb not null default '{}',
      rows bigint not null default 0,
      duplicates bigint not null default 0,
      rejected bigint not null default 0,
      -- Why it failed, for people.
      cause text,
      -- Whose upload may end it: a request that was made anew under the same key takes it over.
      attempt uuid not null,
      created_at timestamptz not null default now(),
      -- Moved while rows come: who has not been heard of is dead.
      received_at timestamptz not null default now(),
      ready_at timestamptz
    );

    -- About a thousand users each, ascending: a page is one look-up by the last user before it.
    create table audience_parts (
      audience uuid not null,
      country text collate "C" not null,
      last_user text collate "C" not null,
      n int not null,
      -- Separated by line breaks, which no id holds.
      users text not null,
      primary key (audience, country, last_user)
    );

    create table audience_rejects (
      audience uuid not null,
      line bigint not null,
      value text not null,
      rule text not null,
      primary key (audience, line)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table audience_rejects, audience_parts, audiences;
    -- What is made of several sources cannot be fed by what was there before: nothing of it is fed any more.
    update feeds set segment = 'muster.several-sources', snapshot = '' where segment is null or snapshot is null;
    alter table feeds drop audience, drop held_out_users, drop excluded_users, alter segment set not null, alter snapshot set not null;
  `);
}
