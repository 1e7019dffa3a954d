import { describe, expect, it } from 'vitest';
import { fc } from '../../../test/support/properties.ts';
import {
  atDatabase,
  DatabaseUrlError,
  parseDatabaseUrl,
  serversNamedBy,
  maskedDatabaseUrl,
  type WantedServer,
} from './database-url.ts';

const namesOf = (url: string) => parseDatabaseUrl(url).servers.map(({ name }) => name);
const refusalOf = (url: string) => {
  try {
    parseDatabaseUrl(url);
    return undefined;
  } catch (error) {
    if (error instanceof DatabaseUrlError) return error.message;
    throw error;
  }
};

describe('a database URL of one server', () => {
  it('is passed on unchanged', () => {
    for (const url of ['postgres://u:p@h:6432/muster?sslmode=require', 'postgresql:///db?host=/run/postgresql']) {
      const { servers, wanted } = parseDatabaseUrl(url);
      expect([servers[0].url, servers.length, wanted]).toEqual([url, 1, 'any']);
    }
    expect(namesOf('postgres://db/muster')).toEqual(['db']);
    expect(namesOf('postgres:///muster?host=/run/postgresql')).toEqual(['/run/postgresql']);
  });

  it('may hold an IPv6 address in brackets, which the client gets without brackets', () => {
    const [server] = parseDatabaseUrl('postgres://u:p@[::1]:6432/muster').servers;
    expect(server).toMatchObject({ name: '[::1]:6432', host: '::1', port: 6432 });
    expect(new URL(server.url.replace('@/', '@x/')).searchParams.get('host')).toBe('::1');
  });

  it('may require the leader with target_session_attrs=read-write', () => {
    const { servers, wanted } = parseDatabaseUrl('postgres://h/db?target_session_attrs=read-write&sslmode=require');
    expect([servers[0].url, wanted]).toEqual(['postgres://h:5432/db?sslmode=require', 'read-write']);
  });
});

describe('a database URL of several servers', () => {
  it('yields one URL per server with the same user, database and parameters', () => {
    const { servers, wanted, isPooled } = parseDatabaseUrl(
      'postgres://user:pw@a:6432,b,[::1]:5433/muster?target_session_attrs=primary&pooler=session&sslmode=require',
    );
    expect(servers.map(({ name }) => name)).toEqual(['a:6432', 'b:5432', '[::1]:5433']);
    expect(servers.map(({ url }) => url)).toEqual([
      'postgres://user:pw@a:6432/muster?pooler=session&sslmode=require',
      'postgres://user:pw@b:5432/muster?pooler=session&sslmode=require',
      'postgres://user:pw@/muster?pooler=session&sslmode=require&host=%3A%3A1&port=5433',
    ]);
    expect([wanted, isPooled]).toEqual(['primary', true]);
  });

  it('requires a writable server unless target_session_attrs is "any"', () => {
    expect(parseDatabaseUrl('postgres://a,b/db').wanted).toBe('read-write');
    expect(parseDatabaseUrl('postgres://a,b/db?target_session_attrs=any').wanted).toBe('any');
  });

  it('may name the hosts as parameters, with one port for each host or one for all', () => {
    expect(namesOf('postgres:///db?host=a,b&port=1,2')).toEqual(['a:1', 'b:2']);
    expect(namesOf('postgres://a,b,c/db?port=6432')).toEqual(['a:6432', 'b:6432', 'c:6432']);
    expect(namesOf('postgres:///db?host=/run/one,/run/two')).toEqual(['/run/one', '/run/two']);
  });

  it.each([
    ['postgres://a,b,c/db?port=1,2', 'has to have one port for all hosts or one for each (3 hosts and 2 ports)'],
    ['postgres://a/db?port=1,2', 'has to have one port for all hosts or one for each (1 host and 2 ports)'],
    ['postgres://a:1,b:2/db?port=3', 'has to have its ports in one place'],
    ['postgres://a,b/db?host=c', 'has to have its hosts in one place'],
    ['postgres://a,,b/db', 'has to have a host on each side of a comma'],
    ['postgres://a,b:/db,c', undefined],
    ['postgres://a,b:70000/db', 'has to have ports from 1 to 65535'],
    ['postgres://a,b:0/db', 'has to have ports from 1 to 65535'],
    ['postgres://a,b:x/db', 'has to have hosts such as one:5432,two:5432 or [::1]:5432'],
    ['postgres://a,::1/db', 'has to have hosts such as one:5432,two:5432 or [::1]:5432'],
    [
      'postgres://a,b/db?target_session_attrs=prefer-standby',
      'has to have target_session_attrs=read-write, primary or any',
    ],
    ['postgres://a,b/db?pooler=transaction', 'has to have pooler=session or none'],
    ['mysql://a,b/db', 'has to be a URL such as postgres://user:password@host:5432/database'],
  ])('is refused with its problem, or accepted: %s', (url, refusal) => {
    expect(refusalOf(url)).toBe(refusal);
  });

  it('can be changed to another database on the same servers', () => {
    expect(atDatabase('postgres://u:p@a:1,b:2/db?sslmode=require', 'an other/one')).toBe(
      'postgres://u:p@a:1,b:2/an%20other%2Fone?sslmode=require',
    );
    expect(serversNamedBy('postgres://u:p@a:1,b:2/db')).toBe('a:1, b:2');
  });
});

describe('a generated database URL', () => {
  const host = fc.oneof(
    fc.stringMatching(/^[a-z][a-z0-9-]{0,8}(\.[a-z]{2,3})?$/),
    fc.ipV4(),
    fc.ipV6().map((address) => `[${address}]`),
  );
  const server = fc.record({ host, port: fc.option(fc.integer({ min: 1, max: 65_535 }), { nil: undefined }) });
  const servers = fc.array(server, { minLength: 2, maxLength: 5 });
  const wanted = fc.constantFrom<(WantedServer | undefined)[]>(undefined, 'any', 'primary', 'read-write');
  const textOf = (of: { host: string; port: number | undefined }[]) =>
    of.map((each) => (each.port === undefined ? each.host : `${each.host}:${each.port}`)).join(',');

  it('yields its servers in order with user, password and database, and shows no password', () => {
    const password = fc.string({ minLength: 1 }).map(encodeURIComponent);
    fc.assert(
      fc.property(servers, wanted, password, (of, attribute, secret) => {
        const query = attribute === undefined ? '' : `?target_session_attrs=${attribute}`;
        const address = parseDatabaseUrl(`postgres://user:${secret}@${textOf(of)}/db${query}`);
        expect(address.wanted).toBe(attribute ?? 'read-write');
        expect(address.servers.map(({ name }) => name)).toEqual(of.map((each) => `${each.host}:${each.port ?? 5432}`));
        for (const { url, host: found, port } of address.servers) {
          // Parsed as the client does, which allows an empty host.
          const read = new URL(url.replace('@/', '@none/'));
          expect(read.searchParams.get('host') ?? read.hostname).toBe(found);
          expect(Number(read.searchParams.get('port') ?? read.port)).toBe(port);
          expect([read.username, decodeURIComponent(read.password)]).toEqual(['user', decodeURIComponent(secret)]);
          expect([read.pathname, read.searchParams.has('target_session_attrs')]).toEqual(['/db', false]);
        }
        expect(maskedDatabaseUrl(`postgres://user:${secret}@${textOf(of)}/db`)).toBe(
          `postgres://user:***@${textOf(of)}/db`,
        );
      }),
    );
  });

  it('never prints an unencoded password, neither in the refusal nor in the shown URL', () => {
    const reported = fc
      .tuple(fc.string(), fc.constantFrom('', '@', '/', '?', '#', ':', ',', '@x/', '?a='))
      .map(([some, sign]) => `qwz${some}${sign}zwq`);
    fc.assert(
      fc.property(servers, reported, (of, secret) => {
        const url = `postgres://user:${secret}@${textOf(of)}/db?target_session_attrs=any`;
        const found = refusalOf(url) ?? serversNamedBy(url);
        for (const part of ['qwz', 'zwq']) expect(`${found} ${maskedDatabaseUrl(url)}`).not.toContain(part);
      }),
    );
  });
});

describe('the startup options of a database URL', () => {
  it('are read and removed from the URLs of the servers', () => {
    const one = parseDatabaseUrl('postgres://u:p@h/db?options=-c%20work_mem%3D8MB&sslmode=require');
    expect([one.options, one.servers[0].url]).toEqual(['-c work_mem=8MB', 'postgres://u:p@h/db?sslmode=require']);
    const two = parseDatabaseUrl('postgres://u:p@a,b/db?options=-c%20jit%3Doff');
    expect([two.options, two.servers[1]?.url]).toEqual(['-c jit=off', 'postgres://u:p@b:5432/db']);
    expect(parseDatabaseUrl('postgres:///db?options=-c%20jit%3Doff').servers[0].url).toBe('postgres:///db');
    expect(parseDatabaseUrl('postgres://h/db').options).toBe('');
  });

  it.each([
    ['-c search_path=app', false],
    ['-c search_path=app,public', false],
    ['--search-path=app', false],
    ['-csearch_path="$user",public', false],
    ['-c search_path=public -c Search_Path=app', false],
    ['-c search_path=public', true],
    ['-c search_path="public",\\ extensions', true],
    ['-c search_path=app -c search_path=public', true],
    ['-c work_mem=8MB', true],
  ])('must begin the search path with public, where the tables are: %s', (options, isRight) => {
    const refusal = refusalOf(`postgres://h/db?options=${encodeURIComponent(options)}`);
    if (isRight) expect(refusal).toBeUndefined();
    else expect(refusal).toContain('has to have no search_path other than public in its options');
  });
});
