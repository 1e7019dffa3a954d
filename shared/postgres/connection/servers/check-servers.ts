import { parseDatabaseUrl, type DatabaseServer } from '../../../runtime/configuration/database-url.ts';
import { connectClient } from './servers.ts';

const connectTimeoutMs = 5_000;

/** Describes each of several servers for people. @throws the same description unless exactly one server leads */
export async function checkServers(url: string): Promise<string> {
  const { servers } = parseDatabaseUrl(url);
  const probes = await Promise.all(servers.map(probe));
  const summary = probes.map(({ server, is }) => `${server.name} ${is}`).join(', ');
  if (probes.filter(({ is }) => is === leads).length !== 1) throw new Error(summary);
  return summary;
}

const leads = 'leads';

async function probe(server: DatabaseServer): Promise<{ server: DatabaseServer; is: string }> {
  try {
    const client = await connectClient(server.url, { connectionTimeoutMillis: connectTimeoutMs });
    try {
      const { rows } = await client.query<{ standby: boolean; readOnly: boolean }>(
        `select pg_is_in_recovery() as standby, current_setting('default_transaction_read_only')::boolean as "readOnly"`,
      );
      const is = rows[0]?.standby === true ? 'is a standby' : rows[0]?.readOnly === true ? 'may only be read' : leads;
      return { server, is };
    } finally {
      await client.end();
    }
  } catch (error) {
    return {
      server,
      is: `is away (${error instanceof Error && error.message !== '' ? error.message : String(error)})`,
    };
  }
}
