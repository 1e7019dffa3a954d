import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
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

const mail = {
  email: { from: 'Shop <news@shop.test>', subject: 'Hello', text: 'Hello {{ user.name }}' },
  users: { database: 'shop', query: 'select id as user_id, email, name from customers where id = any(:users)' },
  smtp: { urlEnv: 'SHOP_SMTP_URL' },
  secretEnv: 'MAIL_SECRET',
};
const mailEnvironment = {
  SHOP_SMTP_URL: 'smtp://shop:secret@smtp.test',
  MAIL_SECRET: 'a secret of thirty-two characters',
  CONNECTORS_API_URL: 'https://muster.test',
  CONNECTORS_API_KEY: 'muster_key',
};
const withMail = (more: object = {}) => ({ databases, segments: {}, actions: { welcome: { ...mail, ...more } } });

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

  it('is valid in the example of the documentation', () => {
    const example = readFileSync(join(import.meta.dirname, '../../deploy/examples/connectors.json'), 'utf8');
    const { segments, actions } = read(JSON.parse(example), { SHOP_DATABASE_URL: usual.SHOP_URL });
    expect([...segments.keys(), ...actions.keys()]).toEqual(['lapsed-customers', 'award-points']);
    const pages = ['connectors.md', 'connectors/sql.md'];
    const page = pages.map((name) => readFileSync(join(import.meta.dirname, '../../docs', name), 'utf8')).join('\n');
    for (const { query } of segments.values()) expect(page).toContain(query.text);
    for (const action of actions.values())
      expect(page).toContain(
        action.form === 'statements'
          ? action.statements[0]
          : action.form === 'call'
            ? action.target
            : action.users.text,
      );
  });

  it.each([
    ['mysql://reader@shop.test/shop', 'mysql'],
    ['mariadb://reader@shop.test/shop', 'mysql'],
    ['postgresql://reader@shop.test/shop', 'postgres'],
    ['postgres:///shop?host=/run/postgresql', 'postgres'],
  ])('takes the kind of the database from its address %s', (url, kind) => {
    expect(read({ databases, segments: {} }, { SHOP_URL: url }).databases.get('shop')?.kind).toBe(kind);
  });

  it('is refused with each invalid field, its value and the expected one', () => {
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

  it('is refused with the variable of a missing or invalid address, never with the address itself', () => {
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

  it('reads a directory of files like a database', () => {
    const exports = { directory: '/var/lib/exports' };
    const segments = { lapsed: { ...lapsed, database: 'exports' } };
    const { databases: found } = read({ databases: { exports }, segments });
    expect(found.get('exports')).toEqual({
      name: 'exports',
      kind: 'files',
      memoryMb: 1000,
      maxConnections: 4,
      ...exports,
    });
  });

  it('refuses a relative directory, a database with both a URL and a directory or neither, and an action in a directory', () => {
    const action = { database: 'exports', statements: ['select user_id from unnest(:users) u (user_id)'] };
    const of = (database: object, more: object = {}) =>
      problemsOf({ databases: { exports: database }, segments: {}, ...more });
    expect(of({ directory: 'exports' })).toEqual([
      `${path}: databases.exports.directory has to be an absolute path, such as /var/lib/exports, not "exports"`,
    ]);
    expect(of({ directory: '/exports', urlEnv: 'SHOP_URL' })).toEqual([
      expect.stringContaining(`${path}: databases.exports has to have either urlEnv or directory`),
    ]);
    expect(of({})).toEqual([
      expect.stringContaining(`${path}: databases.exports has to have either urlEnv or directory`),
    ]);
    expect(of({ urlEnv: 'SHOP_URL', memoryMb: 500 })).toEqual([
      `${path}: databases.exports.memoryMb is allowed only with directory`,
    ]);
    expect(of({ directory: '/exports' }, { actions: { award: action } })).toEqual([
      `${path}: actions.award.database names a directory ("exports"), which is only read`,
    ]);
  });

  it('refuses an action that names an unknown parameter, and ignores literals, comments and casts', () => {
    const statements = [
      "update points set note = ':user' where id = any(:users::text[]) -- :nobody",
      'select user_id from unnest(:user) u (user_id)',
    ];
    expect(problemsOf({ databases, segments: {}, actions: { award: { database: 'shop', statements } } })).toEqual([
      `${path}: actions.award.statements.1 has to name one of :users, :params, :key, :campaign, :run, :step, :country, not ":user"`,
    ]);
  });

  it('checks an action as a call or as SQL, depending on the fields that it has', () => {
    const actions = {
      call: { call: { url: 'https://api.test', method: 'SEND', answers: [{ is: 'gone' }] }, keepDays: 0 },
      sql: { database: 'shop', statements: [], keepDays: 5 },
    };
    expect(problemsOf({ databases, segments: {}, actions })).toEqual([
      `${path}: actions.call.call.method has to be POST or PUT or PATCH or DELETE or GET, not "SEND"`,
      `${path}: actions.call.call.answers.0.is has to be succeeded or failed or retryable or unknown or misconfigured, not "gone"`,
      `${path}: actions.call.keepDays has to be at least 1, not 0`,
      `${path}: actions.sql.statements has to be at least 1 item long, not a list`,
      expect.stringContaining(`${path}: actions.sql.keepDays is not known here; `),
    ]);
  });

  it('reads an e-mail with its templates, its server and its secret', () => {
    writeFileSync(join(folder, 'welcome.html'), '<p>{{ user.name }}</p>');
    const { actions } = read(withMail({ email: { ...mail.email, html: { file: 'welcome.html' } } }), mailEnvironment);
    const action = actions.get('welcome');
    if (action?.form !== 'email') throw new Error('welcome is no e-mail');
    expect(action).toMatchObject({ messageDomain: 'shop.test', suppressionList: 'welcome', isSentAgain: false });
    expect(action.render({ user: { name: '<Ada>' }, params: {} })).toMatchObject({
      mail: { subject: 'Hello', html: '<p>&lt;Ada&gt;</p>' },
    });
  });

  it('accepts the e-mail in the example of the documentation', () => {
    const page = readFileSync(join(import.meta.dirname, '../../docs/connectors/e-mail.md'), 'utf8');
    const [, preview = ''] = /```json\n("actions": \{\n {2}"send-news"[\s\S]*?)\n```/.exec(page) ?? [];
    writeFileSync(join(folder, 'news.html'), '<p>{{ user.name }}</p>');
    const file = { databases, segments: {}, ...z.object({ actions: z.unknown() }).parse(JSON.parse(`{${preview}}`)) };
    const environment = { ...mailEnvironment, SHOP_MAIL_SECRET: mailEnvironment.MAIL_SECRET };
    expect([...read(file, environment).actions.keys()]).toEqual(['send-news']);
  });

  it('names each wrong field of an e-mail, and never quotes a secret', () => {
    const wrong = {
      email: { from: 'news@shop.test', subject: 'Hello {{ user.name', text: 'x' },
      users: { database: 'store', query: 'select :user, :key' },
      smtp: { urlEnv: 'SHOP_SMTP_URL', dkim: { domain: 'shop.test', selector: 's1', keyEnv: 'DKIM_KEY' } },
      formerSecretEnv: 'FORMER_SECRET',
    };
    const environment = { SHOP_SMTP_URL: 'http://shop:secret@smtp.test', MAIL_SECRET: 'short', DKIM_KEY: 'secret' };
    const field = `${path}: actions.welcome`;
    expect(problemsOf(withMail(wrong), environment)).toEqual([
      `${field}.users.database has to be a name from databases (shop), not "store"`,
      `${field}.users.query has to name only :users, not ":user"`,
      `${field}.users.query has to name only :users, not ":key"`,
      expect.stringContaining(`${field}.email.subject is no template: `),
      `${field}.smtp.urlEnv names SHOP_SMTP_URL, which has to be a URL such as smtps://user:password@smtp.example.com:465`,
      `${field}.secretEnv names MAIL_SECRET, which has to have at least 32 characters, not 5`,
      `${field}.formerSecretEnv names FORMER_SECRET, which has to have at least 32 characters, not 0`,
      `${field}.smtp.dkim.keyEnv names DKIM_KEY, which has to be a private key in PEM`,
      'CONNECTORS_API_URL and CONNECTORS_API_KEY have to be set for the e-mails of actions.welcome',
    ]);
  });

  it.each([
    ['email', { ...mail.email, from: 'a@x.test\r\nBcc: eve@evil.test' }, 'email.from has to be an address'],
    ['email', { from: 'news@shop.test', subject: 'Hello' }, 'email has to have html, text or both'],
    ['email', { ...mail.email, text: "{% include 'x' %}" }, 'email.text is no template: '],
    ['email', { ...mail.email, html: { file: 'nowhere.html' } }, 'email.html.file=', 'there is no such file'],
    ['unsubscribe', { url: 'http://mail.shop.test' }, 'unsubscribe.url has to be a URL such as https://'],
    ['smtp', { urlEnv: 'SHOP_SMTP_URL', maxConnections: 0 }, 'smtp.maxConnections has to be at least 1, not 0'],
  ])('refuses an e-mail with the %s %j', (part, value, ...expected) => {
    const problems = problemsOf(withMail({ [part]: value }), mailEnvironment);
    expect(problems).toHaveLength(1);
    for (const text of expected) expect(problems[0]).toContain(text);
  });

  it('refuses a mail server that the egress rules of the installation exclude', () => {
    const environment = { ...mailEnvironment, MUSTER_EGRESS_ALLOW: 'shop.test:5433' };
    expect(problemsOf(withMail(), environment)).toEqual([
      `${path}: actions.welcome.smtp.urlEnv names SHOP_SMTP_URL, which may not be called: no rule of MUSTER_EGRESS_ALLOW names smtp.test with port 587`,
    ]);
  });

  it('gives a segment another definition if its query, its database or its rule for duplicates changes', () => {
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
