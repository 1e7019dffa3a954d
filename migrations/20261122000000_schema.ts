import { readdir, readFile } from 'node:fs/promises';
import type { Knex } from 'knex';
import { orderSql } from './20261122000000_schema/sql-order.ts';

const folder = new URL('20261122000000_schema/', import.meta.url);

/**
 * Creates all tables, functions and views. Each file of the folder covers one subject; the first line of a file names
 * the files that must precede it.
 */
export async function up(knex: Knex): Promise<void> {
  const texts = await readTexts();
  for (const name of orderSql(texts)) await knex.raw(texts.get(name) ?? '');
}

async function readTexts(): Promise<Map<string, string>> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.sql')).sort();
  const read = async (file: string) =>
    [file.replace(/\.sql$/, ''), await readFile(new URL(file, folder), 'utf8')] as const;
  return new Map(await Promise.all(files.map(read)));
}
