import type { Knex } from 'knex';

/** What lists of campaigns are found by. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- Few: what could not be carried out asks for attention for some days.
    create index runs_failed on runs (ended_at) where state = 'failed' and parent is null;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop index runs_failed');
}
