import type { Knex } from 'knex';

/** What workers share about the endpoints that they call: breakers and rates; and what a person decided about dead letters. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- The breaker of a shard: one row once it was open, which stays.
    create table endpoint_guards (
      action_type text not null,
      country text not null,
      -- open: nobody calls but one probe at a time. closed: it is well, and was not until slow_start_at.
      state text not null check (state in ('open', 'closed')),
      cause text not null,
      opened_at timestamptz not null default now(),
      -- How often in a row it opened, failed probes included.
      openings int not null default 1,
      retry_at timestamptz not null,
      probe_owner text,
      probe_until timestamptz,
      slow_start_at timestamptz,
      primary key (action_type, country)
    ) with (fillfactor = 50);

    -- Workers with work for a shard that is not well: they share the calls of its slow start.
    create table endpoint_watchers (
      action_type text not null,
      country text not null,
      worker text not null,
      seen_at timestamptz not null,
      primary key (action_type, country, worker)
    ) with (fillfactor = 50);

    -- A worker's share of an action type's rate. held: what it may be using until then, the share before this one included.
    create table rate_shares (
      action_type text not null,
      unit text not null check (unit in ('calls', 'users')),
      worker text not null,
      demand float8 not null,
      share float8 not null,
      held float8 not null,
      until timestamptz not null,
      primary key (action_type, unit, worker)
    ) with (fillfactor = 50);

    -- kept: nobody has decided. replaying: a trigger is to publish it again. replayed, discarded: over.
    alter table dead_letters
      add state text not null default 'kept' check (state in ('kept', 'replaying', 'replayed', 'discarded')),
      add replays int not null default 0,
      add settled_at timestamptz;
    create index dead_letters_replaying on dead_letters (id) where state = 'replaying';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    drop table endpoint_guards, endpoint_watchers, rate_shares;
    drop index dead_letters_replaying;
    alter table dead_letters drop state, drop replays, drop settled_at;
  `);
}
