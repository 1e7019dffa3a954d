import { atDatabase } from '../../runtime/configuration/database-url.ts';
import { connectClient } from './servers/servers.ts';

/** Creates an empty database on the server of `serverUrl` and returns its URL. The name may be any text. */
export async function createDatabase(serverUrl: string, name: string): Promise<string> {
  // Uses template0, so that neither the server's locale nor leftovers in template1 are copied.
  await runOnServer(serverUrl, (quoted) => `create database ${quoted} template template0 encoding 'UTF8'`, name);
  return atDatabase(serverUrl, name);
}

/** Drops the database if it exists, and ends its connections. */
export async function dropDatabase(serverUrl: string, name: string): Promise<void> {
  await runOnServer(serverUrl, (quoted) => `drop database if exists ${quoted} with (force)`, name);
}

async function runOnServer(serverUrl: string, statement: (quotedName: string) => string, name: string): Promise<void> {
  const client = await connectClient(serverUrl);
  try {
    await client.query(statement(client.escapeIdentifier(name)));
  } finally {
    await client.end();
  }
}
