import type { Knex } from 'knex';

/**
 * Who this installation is, in one row. Its id tells its messages from those of another installation on the same Kafka; `config` holds what
 * must not differ between the processes of one installation (shared/runtime/installation-config.ts).
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    create table installation (
      id uuid not null default gen_random_uuid(),
      created_at timestamptz not null default now(),
      config jsonb not null default '{}',
      one boolean primary key default true check (one)
    );
    insert into installation default values;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('drop table installation');
}
