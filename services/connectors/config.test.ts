import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { readConfig } from './config.ts';

const folder = mkdtempSync(join(tmpdir(), 'muster-connectors-'));
const path = join(folder, 'connectors.json');
afterAll(() => rmSync(folder, { recursive: true }));

const databases = { shop: { urlEnv: 'SHOP_URL' } };
const lapsed = { name: 'Lapsed', database: 'shop', query: 'select user_id, country from lapsed' };
const usual = {
  DATABASE_URL: 'postgres://muster@127.0.0.1/muster',
  SHOP_URL: 'postgres://reader:secret@shop.test:5433/shop',
  CONNECTORS_CONFIG: path,
};

function read(file: unknown, environment: Record<string, string> = {}) {
  writeFileSync(path, JSON.stringify(file));
  return readConfig({ ...usual, ...environment });
}

function problemsOf(file: unknown, environment: Record<string, string> = {}): readonly string[] {
  try {
    read(file, environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
}

describe('the connectors’ file', () => {
  it('names databases by a variable and segments by the id that campaigns use', () => {
    const { databases: found, segments } = read({ databases, segments: { lapsed } });
    expect([...found]).toEqual([['shop', { name: 'shop', kind: 'postgres', url: usual.SHOP_URL, maxConnections: 4 }]]);
    expect(segments.get('lapsed')).toMatchObject({
      id: 'lapsed',
      query: { text: lapsed.query, timeoutMs: 600_000 },
      onDuplicates: 'refuse',
      reuseMs: 60_000,
      keepSeconds: 172_800,
    });
  });

  it('is right in the example that the documentation shows', () => {
    const example = readFileSync(join(import.meta.dirname, '../../deploy/examples/connectors.json'), 'utf8');
    const { segments, actions } = read(JSON.parse(example), { SHOP_DATABASE_URL: usual.SHOP_URL });
    expect([...segments.keys(), ...actions.keys()]).toEqual(['lapsed-customers', 'award-points']);
    const page = readFileSync(join(import.meta.dirname, '../../docs/connectors.md'), 'utf8');
    for (const { query } of segments.values()) expect(page).toContain(query.text);
    for (const { statements } of actions.values()) expect(page).toContain(statements[0]);
  });

  it.each([
    ['mysql://reader@shop.test/shop', 'mysql'],
    ['mariadb://reader@shop.test/shop', 'mysql'],
    ['postgresql://reader@shop.test/shop', 'postgres'],
    ['postgres:///shop?host=/run/postgresql', 'postgres'],
  ])('takes the kind of the database from its address %s', (url, kind) => {
    expect(read({ databases, segments: {} }, { SHOP_URL: url }).databases.get('shop')?.kind).toBe(kind);
  });

  it('names each wrong field with its value and what is right', () => {
    const segments = {
      lapsed: { ...lapsed, timeoutSeconds: 0, onDuplicates: 'last' },
      'Not A Name': lapsed,
      other: { ...lapsed, query: undefined, sql: 'select' },
    };
    expect(problemsOf({ databases, segments })).toEqual([
      `${path}: segments.lapsed.timeoutSeconds has to be at least 1, not 0`,
      `${path}: segments.lapsed.onDuplicates has to be refuse or first, not "last"`,
      `${path}: segments has to have names in small letters, with digits and - between them, such as award-reward, not "Not A Name"`,
      `${path}: segments.other.query is not set: it has to be a string`,
      expect.stringContaining(`${path}: segments.other.sql is not known here; `),
    ]);
  });

  it('refuses a segment of an unknown database, and a query that selects nothing', () => {
    const segments = { lapsed: { ...lapsed, database: 'store' }, all: { ...lapsed, query: 'delete from users' } };
    expect(problemsOf({ databases, segments })).toEqual([
      `${path}: segments.lapsed.database has to be a name from databases (shop), not "store"`,
      `${path}: segments.all.query has to be one select, not "delete from users"`,
    ]);
  });

  it('names the variable of an address that is missing or wrong, and never quotes the address', () => {
    const of = (url: string) => problemsOf({ databases, segments: { lapsed } }, { SHOP_URL: url });
    const field = `${path}: databases.shop.urlEnv names SHOP_URL, which`;
    expect(of('')).toEqual([`${field} is not set`]);
    expect(of('oracle://reader:secret@shop.test')).toEqual([
      `${field} has to begin with postgres://, mysql:// or mariadb://`,
    ]);
    expect(of('mysql://reader:secret@shop.test:99999')).toEqual([
      `${field} has to be a URL such as mysql://user:password@host:3306/shop`,
    ]);
    expect(of('postgres://reader:secret@one.test,two.test/shop')).toEqual([`${field} has to name one server`]);
    expect(of('postgres://reader:secret@shop.test:99999/shop')).toEqual([`${field} has to have ports from 1 to 65535`]);
  });

  it('refuses a database that the egress rules of the installation exclude', () => {
    const rules = { MUSTER_EGRESS_ALLOW: 'other.test' };
    expect(problemsOf({ databases, segments: { lapsed } }, rules)).toEqual([
      `${path}: databases.shop.urlEnv names SHOP_URL, which may not be called: no rule of MUSTER_EGRESS_ALLOW names shop.test with port 5433`,
    ]);
    expect(problemsOf({ databases, segments: { lapsed } }, { MUSTER_EGRESS_ALLOW: 'shop.test:5433' })).toEqual([]);
  });

  it('refuses an action that names an unknown parameter, and reads none in literals, comments and casts', () => {
    const statements = [
      "update points set note = ':user' where id = any(:users::text[]) -- :nobody",
      'select user_id from unnest(:user) u (user_id)',
    ];
    expect(problemsOf({ databases, segments: {}, actions: { award: { database: 'shop', statements } } })).toEqual([
      `${path}: actions.award.statements.1 has to name one of :users, :params, :key, :campaign, :run, :step, :country, not ":user"`,
    ]);
  });

  it('gives a segment another definition once its query, its database or its rule of duplicates changes', () => {
    const definitionOf = (segment: object) =>
      read({
        databases: { ...databases, two: databases.shop },
        segments: { lapsed: { ...lapsed, ...segment } },
      }).segments.get('lapsed')?.definition;
    const changes = [{ query: 'select 1' }, { database: 'two' }, { onDuplicates: 'first' }];
    expect(new Set([{}, ...changes].map(definitionOf)).size).toBe(4);
    expect(definitionOf({ name: 'Other', keepHours: 1, query: `${lapsed.query} ;\n` })).toBe(definitionOf({}));
  });
});
