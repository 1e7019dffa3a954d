import { randomBytes } from 'node:crypto';
import * as databases from '../shared/postgres/connection/databases.ts';

/** A database that only one benchmark uses. */
export interface OwnDatabase {
  url: string;
  drop: () => Promise<void>;
}

export async function createDatabase(serverUrl: string): Promise<OwnDatabase> {
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const url = await databases.createDatabase(serverUrl, name);
  return { url, drop: () => databases.dropDatabase(serverUrl, name) };
}
