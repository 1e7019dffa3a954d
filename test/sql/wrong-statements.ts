import type { Pool } from 'pg';
import { statementOf } from '../../shared/postgres/connection/statement.ts';

/**
 * Statements with one mistake each, and some without, for the test of the check (sql-check.integration.test.ts). Nothing
 * runs them.
 */
export const wrongStatements = {
  'an unknown column': (pool: Pool) => pool.query<{ id: string }>('select id, nickname from campaigns'),

  'an unknown table': (pool: Pool) => pool.query<{ id: string }>('select id from camp_aigns'),

  'a surplus value': (pool: Pool) => pool.query<{ id: string }>('select id from campaigns where id = $1', ['a', 'b']),

  'a parameter of the wrong type in the statement': (pool: Pool) =>
    pool.query<{ id: string }>('select id from campaigns where created_at > $1::int', [1]),

  'a time that is passed as a number': (pool: Pool, atMs: number) =>
    pool.query<{ id: string }>('select id from campaigns where created_at > $1', [atMs]),

  'a list that is passed as JSON': (pool: Pool, texts: string[]) =>
    pool.query<{ same: boolean }>('select $1::jsonb is null as same', [texts]),

  'a flag that is passed as a number, by name': (pool: Pool, isOn: boolean) =>
    pool.query<{ id: string }>(campaignsBelow.with({ revision: isOn, id: 'x' })),

  'a row type with an unknown column': (pool: Pool) =>
    pool.query<{ id: string; nickname: string }>('select id from campaigns'),

  'a row type with a number for a text column': (pool: Pool) =>
    pool.query<{ many: number }>('select count(*) as many from runs'),

  'a row type with a text for a list column': (pool: Pool) =>
    pool.query<{ ids: string }>('select array_agg(id) as ids from campaigns'),

  'a row type without columns': (pool: Pool) => pool.query<object>('select id from campaigns'),

  'a statement text that cannot be resolved': (pool: Pool, table: string) => pool.query(`select from ${table}`),
};

export const rightStatements = {
  'a time as a time': (pool: Pool, at: Date) =>
    pool.query<{ id: string; createdAt: Date }>(
      'select id, created_at as "createdAt" from campaigns where created_at > $1',
      [at],
    ),

  'a list as a list': (pool: Pool, ids: string[]) =>
    pool.query<{ ids: string[] }>('select array_agg(id) as ids from campaigns where id = any ($1)', [ids]),

  'values by name': (pool: Pool) => pool.query<{ id: string }>(campaignsBelow.with({ revision: 7, id: 'x' })),
};

const campaignsBelow = statementOf<{ revision: number | boolean; id: string }>(
  'campaigns_below',
  ($) => `select id from campaigns where revision < ${$('revision')}::int and id <> ${$('id')}`,
);
