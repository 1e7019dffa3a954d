import { randomBytes } from 'node:crypto';
import { Client } from 'pg';

/** A database of a benchmark's own on the server. */
export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

export async function createDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  await administer(serverUrl, `create database ${name}`);
  return { url: url.href, drop: () => administer(serverUrl, `drop database ${name} with (force)`) };
}

async function administer(serverUrl: string, sql: string): Promise<void> {
  const client = new Client({ connectionString: serverUrl });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
