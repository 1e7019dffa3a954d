export interface DatabaseServer {
  /** Name for messages: `host:port`, or the folder of the socket. */
  name: string;
  /** Host name, address without brackets, or folder of a socket; empty for the client's default. */
  host: string;
  port: number;
  /** URL of this server alone; contains the password. */
  url: string;
}

/** Required kind of server: any, a leader, or one that also takes writes by its default settings. */
export type WantedServer = 'any' | 'primary' | 'read-write';

export interface DatabaseAddress {
  /** Servers in the order of tries. */
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  wanted: WantedServer;
  /** True for a pooler in session mode. */
  isPooled: boolean;
  /**
   * Startup options such as `-c work_mem=8MB`. Empty if the URL has none. The URLs of the single servers do not contain
   * them.
   */
  options: string;
}

/** Schema of all tables. Functions that run with the owner's rights, and the grants of services, name this schema. */
export const schemaOfTables = 'public';

/** An invalid URL. The message continues a sentence after the variable's name, and quotes nothing of the URL. */
export class DatabaseUrlError extends Error {}

interface Parts {
  scheme: string;
  /** User and password with the `@`, or empty. */
  user: string;
  hosts: string;
  path: string;
  query: URLSearchParams;
}

const shape = /^(postgres(?:ql)?:\/\/)([^/?#]*@)?([^/?#]*)([^?#]*)(\?[^#]*)?/i;
const hostAndPort = /^(\[[\da-f:.]+\]|[^:[\]\s]*)(?::(\d*))?$/i;
const usualPort = 5432;

const rightUrl = 'has to be a URL such as postgres://user:password@host:5432/database';

/**
 * Parses `postgres://user:password@one:5432,two:5433/database?target_session_attrs=read-write` as libpq does: several
 * servers, each with its port or the default; or `?host=one,two&port=5432`, with a port for each or one for all.
 * @throws {DatabaseUrlError}
 */
export function parseDatabaseUrl(text: string): DatabaseAddress {
  const parts = partsOf(text);
  const hosts = hostsOf(parts);
  const wanted = wantedOf(parts.query, hosts.length);
  const pooler = parts.query.get('pooler');
  if (pooler !== null && pooler !== 'session') throw new DatabaseUrlError('has to have pooler=session or none');
  const options = parts.query.get('options') ?? '';
  requireSchema(options);
  const isPlain = hosts.length === 1 && wanted === 'any';
  const [first, ...rest] = hosts.map(({ host, port }): DatabaseServer => {
    const url = isPlain && !host.includes(':') ? withoutOptions(text, parts) : urlOf(parts, host, port);
    const displayed = host.includes(':') ? `[${host}]` : host;
    const isShort = host.startsWith('/') || (isPlain && port === undefined);
    return { name: isShort ? displayed : `${displayed}:${port ?? usualPort}`, host, port: port ?? usualPort, url };
  });
  if (first === undefined) throw new DatabaseUrlError(rightUrl);
  return { servers: [first, ...rest], wanted, isPooled: pooler === 'session', options };
}

/** Returns the value of the last `search_path` in startup options. */
export function searchPathIn(options: string): string | undefined {
  return [...options.matchAll(/(?:-c\s*|--)search[_-]path=((?:\\.|[^\s\\])*)/gi)].at(-1)?.[1];
}

function requireSchema(options: string): void {
  const path = searchPathIn(options);
  const [first] = path?.split(',') ?? [schemaOfTables];
  if (first?.replaceAll(/["\\\s]/g, '') === schemaOfTables) return;
  const rule = `the tables of Muster are in the schema ${schemaOfTables}, in a database of their own`;
  throw new DatabaseUrlError(`has to have no search_path other than ${schemaOfTables} in its options: ${rule}`);
}

function withoutOptions(text: string, { scheme, user, hosts, path, query: given }: Parts): string {
  if (!given.has('options')) return text;
  const query = new URLSearchParams(given);
  query.delete('options');
  return `${scheme}${user}${hosts}${path}${query.size === 0 ? '' : `?${query.toString()}`}`;
}

function partsOf(text: string): Parts {
  const [, scheme, user = '', hosts = '', path = '', query = ''] = shape.exec(text) ?? [];
  if (scheme === undefined) throw new DatabaseUrlError(rightUrl);
  if (mayShowPassword(text)) {
    throw new DatabaseUrlError(`${rightUrl}, with %40 for @, %2F for /, %3F for ? and %23 for # in a password`);
  }
  if (!URL.canParse(`${scheme}${user}host${path}${query}`)) throw new DatabaseUrlError(rightUrl);
  return { scheme, user, hosts, path, query: new URLSearchParams(query) };
}

/**
 * Returns true if the host may contain a part of the password. A `/`, `?` or `#` in a password ends the authority of a
 * URL: the `@` comes after it, and messages would name a part of the password as the host.
 */
function mayShowPassword(text: string): boolean {
  const [upToHosts = ''] = /^\w+:\/\/[^/?#]*/.exec(text) ?? [];
  return text.includes('@', upToHosts.length);
}

function hostsOf({ hosts, query }: Parts): { host: string; port: number | undefined }[] {
  const named = hosts.split(',').map((each) => {
    const [, host, port = ''] = hostAndPort.exec(each) ?? [];
    if (host === undefined) throw new DatabaseUrlError('has to have hosts such as one:5432,two:5432 or [::1]:5432');
    return {
      host: host.replace(/^\[(.*)\]$/, '$1').replaceAll(/%2f/gi, '/'),
      port: port === '' ? undefined : portOf(port),
    };
  });
  const [hostList, portList] = [query.get('host'), query.get('port')];
  const isListed = hostList !== null && hostList !== '';
  if (isListed && named.length > 1) throw new DatabaseUrlError('has to have its hosts in one place');
  const found = isListed ? hostList.split(',').map((host) => ({ host, port: named[0]?.port })) : named;
  if (found.length > 1 && found.some(({ host }) => host === '')) {
    throw new DatabaseUrlError('has to have a host on each side of a comma');
  }
  if (portList === null || portList === '') return found;
  if (found.length > 1 && named.some(({ port }) => port !== undefined)) {
    throw new DatabaseUrlError('has to have its ports in one place');
  }
  const ports = portList.split(',').map(portOf);
  if (ports.length !== 1 && ports.length !== found.length) {
    const counts = `${found.length} ${found.length === 1 ? 'host' : 'hosts'} and ${ports.length} ports`;
    throw new DatabaseUrlError(`has to have one port for all hosts or one for each (${counts})`);
  }
  return found.map(({ host }, place) => ({ host, port: ports[place] ?? ports[0] }));
}

function portOf(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (port < 1 || port > 65_535) throw new DatabaseUrlError('has to have ports from 1 to 65535');
  return port;
}

const wantedServers = ['any', 'primary', 'read-write'] as const;

function wantedOf(query: URLSearchParams, hosts: number): WantedServer {
  const given = query.get('target_session_attrs');
  if (given === null) return hosts > 1 ? 'read-write' : 'any';
  const wanted = wantedServers.find((each) => each === given);
  if (wanted === undefined) throw new DatabaseUrlError('has to have target_session_attrs=read-write, primary or any');
  return wanted;
}

/**
 * Builds the URL of one server. Addresses go into parameters, because the client would take a bracketed address for a
 * name.
 */
function urlOf({ scheme, user, path, query: given }: Parts, host: string, port: number | undefined): string {
  const query = new URLSearchParams(given);
  for (const name of ['target_session_attrs', 'host', 'port', 'options']) query.delete(name);
  const isName = !host.includes(':') && !host.startsWith('/');
  if (!isName) query.set('host', host);
  const place = isName ? `${host}:${port ?? usualPort}` : '';
  if (!isName) query.set('port', String(port ?? usualPort));
  const tail = query.size === 0 ? '' : `?${query.toString()}`;
  return `${scheme}${user}${place}${path === '' ? '/' : path}${tail}`;
}

export function serversNamedBy(url: string): string {
  return parseDatabaseUrl(url)
    .servers.map(({ name }) => name)
    .join(', ');
}

/** Returns the URL of another database on the same servers. The name may be any text. */
export function atDatabase(url: string, name: string): string {
  const [, scheme = '', user = '', hosts = '', , query = ''] = shape.exec(url) ?? [];
  return `${scheme}${user}${hosts}/${encodeURIComponent(name)}${query}`;
}

/** Returns the URL with `***` for passwords, or undefined if its authority may contain a part of the password. */
export function maskedDatabaseUrl(text: string): string | undefined {
  const [whole = '', before = '', hosts = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)/.exec(text) ?? [];
  const rest = text.slice(whole.length);
  if (mayShowPassword(text) || !hosts.split(',').every((each) => hostAndPort.test(each))) return undefined;
  // A URL with several hosts does not parse.
  if (!URL.canParse(`${before}host${rest}`)) return undefined;
  const masked = withoutPassword(`${before}host${rest}`);
  const place = masked.indexOf('host', Math.max(masked.indexOf('://'), masked.lastIndexOf('@')));
  return `${masked.slice(0, place)}${hosts}${masked.slice(place + 'host'.length)}`;
}

/** Returns `postgres://user:***@host/db`, with passwords replaced in parameters too. @throws if the text is no URL */
export function withoutPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const name of [...url.searchParams.keys()]) {
    if (/passw|secret|token/i.test(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}
