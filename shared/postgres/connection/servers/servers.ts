import pg from 'pg';
import { parseDatabaseUrl, type DatabaseAddress } from '../../../runtime/configuration/database-url.ts';
import { sendSettings, sessionOf, type Session, type SessionSettings } from './session-settings.ts';
import { tryServers } from './try-servers.ts';
import { ServerClient, type SharedServers } from './server-client.ts';
import { createServerOrder } from './server-order.ts';
import { ServerPool } from './server-pool.ts';

const known = new Map<string, SharedServers>();

/** Returns undefined for a URL of one server of any kind, which needs no shared state. */
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

/** The URL alone sets the servers' addresses, and `settings` the session settings. */
type OnlyTerms<Config> = Omit<Config, 'connectionString' | 'host' | 'port' | 'options'>;

/** Opens a pool on the server in the URL, or on the one of the wanted kind if the URL names several. */
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

/** Opens a single connection. @throws the server's error, or `NoServerError` if no server is of the wanted kind */
export async function connectClient(url: string, terms: OnlyTerms<pg.ClientConfig> = {}): Promise<pg.Client> {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  const session = sessionOf(address, {});
  const config: pg.ClientConfig = { ...terms, ...optionsOf(session) };
  const client = shared
    ? await tryServers(shared, () => new ServerClient(shared, config).connect())
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
  // An error before another listener is added would end the process.
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

export interface LibraryConnection {
  /** One server, or a function that finds the wanted one of several. */
  connection: ServerOfLibrary | (() => Promise<ServerOfLibrary>);
  /** Prepares a session; the library has to await it on each new connection. */
  begin: (client: pg.ClientBase) => Promise<void>;
}

export function foundByLibrary(url: string, settings: SessionSettings = {}): LibraryConnection {
  const address = parseDatabaseUrl(url);
  const shared = sharedServers(url, address);
  const session = sessionOf(address, settings);
  const begin = (client: pg.ClientBase) => sendSettings(client, session);
  const at = (connectionString: string) => ({ connectionString, ...optionsOf(session) });
  if (!shared) return { connection: at(address.servers[0].url), begin };
  const find = async () => {
    const client = await tryServers(shared, async () => {
      const tried = new ServerClient(shared);
      await tried.connect();
      return tried;
    });
    await client.end();
    return at(client.server.url);
  };
  return { connection: find, begin };
}
