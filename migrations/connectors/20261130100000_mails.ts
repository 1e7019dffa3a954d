import type { Knex } from 'knex';

/**
 * Creates the tables of e-mail: the first answer to each call by its key, and reports that Muster has not received yet.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table connectors.mail_calls (
      action text not null,
      key text not null,
      digest text not null,
      -- Results by user, as the answer reported them; null while the call has no answer.
      results jsonb,
      expires_at timestamptz not null,
      primary key (action, key)
    );
    create index mail_calls_by_end on connectors.mail_calls (expires_at);
    create table connectors.mail_reports (
      id bigint primary key generated always as identity,
      -- Suppression list, and the note for people; null for a receipt.
      list text,
      note text,
      user_id text not null,
      receipt jsonb,
      created_at timestamptz not null default now(),
      check ((receipt is null) = (list is not null))
    );
  `);
}
