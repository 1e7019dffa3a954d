import pg from 'pg';
import { parseDatabaseUrl, type DatabaseAddress } from '../../../runtime/configuration/database-url.ts';
import { sendSettings, sessionOf, type Session, type SessionSettings } from './session-settings.ts';
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

/** The address of the servers comes from the URL alone, and settings of the session from `settings`. */
type OnlyTerms<Config> = Omit<Config, 'connectionString' | 'host' | 'port' | 'options'>;

/** A pool on the server that the URL names, or on whichever of several is the one that is wanted. */
export function openPool(url: string, terms: OnlyTerms<pg.PoolConfig>, settings: SessionSettings = {}): pg.Pool {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  const session = sessionOf(address, settings);
  const config: pg.PoolConfig = {
    ...terms,
    ...optionsOf(session),
    verify: (client, done) => void sendSettings(client, session).then(() => done(), done),
  };
  return shared ? new ServerPool(shared, config) : new pg.Pool({ ...config, connectionString: address.servers[0].url });
}

/**
 * A connection of its own, which is open.
 * @throws what the server says, or that none of several is the one that is wanted
 */
export async function connectClient(url: string, terms: OnlyTerms<pg.ClientConfig> = {}): Promise<pg.Client> {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  const session = sessionOf(address, {});
  const config: pg.ClientConfig = { ...terms, ...optionsOf(session) };
  const client = shared
    ? await hunt(shared, () => new ServerClient(shared, config).connect())
    : await connectTo(address.servers[0].url, config);
  try {
    await sendSettings(client, session);
  } catch (error) {
    client.end().catch(() => undefined);
    throw error;
  }
  return client;
}

async function connectTo(connectionString: string, config: pg.ClientConfig): Promise<pg.Client> {
  const client = new pg.Client({ ...config, connectionString });
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

function optionsOf({ options }: Session): { options?: string } {
  return options === undefined ? {} : { options };
}

interface ServerOfLibrary {
  connectionString: string;
  options?: string;
}

/** Connections of a library that connects by itself. */
export interface LibraryConnection {
  /** One server, or a function that finds the one that is wanted of several. */
  connection: ServerOfLibrary | (() => Promise<ServerOfLibrary>);
  /** The library has to await it on each new connection. */
  begin: (client: pg.ClientBase) => Promise<void>;
}

export function foundByLibrary(url: string): LibraryConnection {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  const session = sessionOf(address, {});
  const begin = (client: pg.ClientBase) => sendSettings(client, session);
  const at = (connectionString: string) => ({ connectionString, ...optionsOf(session) });
  if (!shared) return { connection: at(address.servers[0].url), begin };
  const find = async () => {
    const client = await hunt(shared, async () => {
      const tried = new ServerClient(shared);
      await tried.connect();
      return tried;
    });
    await client.end();
    return at(client.server.url);
  };
  return { connection: find, begin };
}
