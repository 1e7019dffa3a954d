import pg from 'pg';
import { parseDatabaseUrl, type DatabaseAddress } from '../../../runtime/configuration/database-url.ts';
import { hunt } from './passed-over.ts';
import { ServerClient, type SharedServers } from './server-client.ts';
import { createServerOrder } from './server-order.ts';
import { ServerPool } from './server-pool.ts';

/** By URL, of which a process has one. */
const known = new Map<string, SharedServers>();

/** Undefined for a URL that leads to one server, whatever that is: nothing is shared, and nothing else is done. */
function sharedServers(url: string, { servers, wanted }: DatabaseAddress): SharedServers | undefined {
  if (servers.length === 1 && wanted === 'any') return undefined;
  const shared = known.get(url) ?? {
    servers: servers.length,
    wanted,
    order: createServerOrder(servers),
    open: new Set<ServerClient>(),
  };
  known.set(url, shared);
  return shared;
}

/** Where the servers are stands in the URL alone. */
type OnlyTerms<Config> = Omit<Config, 'connectionString' | 'host' | 'port'>;

/** A pool on the server that the URL names, or on whichever of several is the one that is wanted. */
export function openPool(url: string, terms: OnlyTerms<pg.PoolConfig>): pg.Pool {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  return shared ? new ServerPool(shared, terms) : new pg.Pool({ ...terms, connectionString: address.servers[0].url });
}

/**
 * A connection of its own, which is open.
 * @throws what the server says, or that none of several is the one that is wanted
 */
export async function connectClient(url: string, terms: OnlyTerms<pg.ClientConfig> = {}): Promise<pg.Client> {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  if (shared) return await hunt(shared, () => new ServerClient(shared, terms).connect());
  const client = new pg.Client({ ...terms, connectionString: address.servers[0].url });
  // What comes before anyone else listens would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

/** For a library that connects by itself: of one server its URL, of several how to find the one that is wanted. */
export function foundByLibrary(url: string): string | (() => Promise<{ connectionString: string }>) {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  if (!shared) return address.servers[0].url;
  return async () => {
    const client = await hunt(shared, async () => {
      const tried = new ServerClient(shared);
      await tried.connect();
      return tried;
    });
    await client.end();
    return { connectionString: client.server.url };
  };
}
