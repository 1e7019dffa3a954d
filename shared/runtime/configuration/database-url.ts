/** One server that the URL names. */
export interface DatabaseServer {
  /** As messages name it: `host:port`, or the folder of its socket. */
  name: string;
  /** A name, an address without brackets, or the folder of a socket; empty where the client's own default leads. */
  host: string;
  port: number;
  /** Leads to this one alone; the password stands in it. */
  url: string;
}

/** What a server has to be: any, not a standby, or one that takes writes too, unless it is told otherwise. */
export type WantedServer = 'any' | 'primary' | 'read-write';

export interface DatabaseAddress {
  /** One at least, in the order in which they are tried. */
  servers: readonly [DatabaseServer, ...DatabaseServer[]];
  wanted: WantedServer;
  /** A pooler in session mode stands before them. */
  isPooled: boolean;
  /** Startup options such as `-c work_mem=8MB`. Empty if the URL has none. The URLs of the servers leave them out. */
  options: string;
}

/** The schema of all tables. Functions that run with the owner's rights, and the grants of services, name it. */
export const schemaOfTables = 'public';

/** The message is the rest of a sentence that begins with the variable's name, and holds nothing of the URL. */
export class DatabaseUrlError extends Error {}

interface Parts {
  scheme: string;
  /** With its `@`; empty where there is none. */
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
 * `postgres://user:password@one:5432,two:5433/database?target_session_attrs=read-write`, as libpq reads it: several
 * servers, each with its port or the usual one; or `?host=one,two&port=5432`, with a port for each or one for all.
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
    const shown = host.includes(':') ? `[${host}]` : host;
    const isShort = host.startsWith('/') || (isPlain && port === undefined);
    return { name: isShort ? shown : `${shown}:${port ?? usualPort}`, host, port: port ?? usualPort, url };
  });
  if (first === undefined) throw new DatabaseUrlError(rightUrl);
  return { servers: [first, ...rest], wanted, isPooled: pooler === 'session', options };
}

/** The value of the last `search_path` in startup options. */
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
 * A `/`, `?` or `#` in a password ends what a URL has before its path: its `@` comes after that, and what would be
 * taken for a host, and named in messages, is a part of the password.
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

/** The client reads an address in brackets as a name; between parameters it needs none. */
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

/** The servers that it names, for people. */
export function serversNamedBy(url: string): string {
  return parseDatabaseUrl(url)
    .servers.map(({ name }) => name)
    .join(', ');
}

/** The same servers, another database. The name may be any text. */
export function atDatabase(url: string, name: string): string {
  const [, scheme = '', user = '', hosts = '', , query = ''] = shape.exec(url) ?? [];
  return `${scheme}${user}${hosts}/${encodeURIComponent(name)}${query}`;
}

/**
 * With `***` for the password, wherever one can stand; undefined where what stands in front of the path cannot be told
 * from a password.
 */
export function shownDatabaseUrl(text: string): string | undefined {
  const [whole = '', before = '', hosts = ''] = /^(\w+:\/\/(?:[^/?#]*@)?)([^/?#]*)/.exec(text) ?? [];
  const rest = text.slice(whole.length);
  if (mayShowPassword(text) || !hosts.split(',').every((each) => hostAndPort.test(each))) return undefined;
  // Several hosts are no URL.
  if (!URL.canParse(`${before}host${rest}`)) return undefined;
  const shown = withoutPassword(`${before}host${rest}`);
  const place = shown.indexOf('host', Math.max(shown.indexOf('://'), shown.lastIndexOf('@')));
  return `${shown.slice(0, place)}${hosts}${shown.slice(place + 'host'.length)}`;
}

/** `postgres://user:***@host/db`, wherever in the URL a password can stand. Throws when the text is no URL. */
export function withoutPassword(text: string): string {
  const url = new URL(text);
  if (url.password !== '') url.password = '***';
  for (const name of [...url.searchParams.keys()]) {
    if (/passw|secret|token/i.test(name)) url.searchParams.set(name, '***');
  }
  return url.href;
}
