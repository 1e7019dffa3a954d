import type { Knex } from 'knex';

/** What feeding remembers of trouble: how often a feed stalled in a row, and since when a run waits for what it shows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    -- How often in a row the next page was not to be had; 0 once the feed has moved. The pause before the next try grows with it.
    alter table feeds add stalls int2 not null default 0;
    -- Since when it is waiting_cause that the run waits for.
    alter table runs add waiting_since timestamptz;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    alter table feeds drop stalls;
    alter table runs drop waiting_since;
  `);
}
