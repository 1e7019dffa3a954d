import { createHash, type KeyObject } from 'node:crypto';
import { createRequire } from 'node:module';
import { z } from 'zod';
import { webhookKeyOf, webhookSecretForm } from '../../shared/domain/endpoint/standard-webhooks.ts';
import {
  ConfigurationError,
  createProblems,
  type Problems,
} from '../../shared/runtime/configuration/configuration-error.ts';
import { DatabaseUrlError, parseDatabaseUrl } from '../../shared/runtime/configuration/database-url.ts';
import { commonEnvironment, readEnvironment } from '../../shared/runtime/configuration/environment.ts';
import { readInstallationEgress } from '../../shared/runtime/configuration/installation-egress.ts';
import { readJsonFile } from '../../shared/runtime/configuration/json-file.ts';
import { readSecret } from '../../shared/runtime/configuration/secrets.ts';
import { createEgressGuard, type EgressGuard } from '../../shared/runtime/egress/address-guard.ts';
import { requireDatabase } from './databases/require-database.ts';
import { connectorsFile, type ConnectorsFile } from './connectors-file.contract.ts';
import type { DatabaseSettings, ServerSettings } from './databases/source.port.ts';
import type { SqlActionSettings } from './databases/target.port.ts';
import type { MailActionSettings } from './email/mail-settings.ts';
import type { SegmentSettings } from './segments/segment-settings.ts';
import { readCallAction } from './single-calls/read-call-action.ts';
import type { CallActionSettings } from './single-calls/call-settings.ts';
import { readEmailAction, type EmailTerms } from './email/read-email-action.ts';
import type { MusterApiSettings } from './email/reports.port.ts';
import { readSqlAction } from './sql-action/read-sql-action.ts';

export const connectorsEnvironment = commonEnvironment.pick({ DATABASE_URL: true }).extend({
  CONNECTORS_CONFIG: z
    .string({ error: 'has to be the path of the connectors’ file' })
    .describe('Path of [the connectors’ file](../connectors.md#the-file)'),
  CONNECTORS_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .default(7080)
    .describe('Port to listen on; 0 selects a free port'),
  CONNECTORS_HOST: z.string().default('127.0.0.1').describe('Address to listen on'),
  CONNECTORS_AUTHORIZATION: z.string().min(16).optional().meta({
    description: 'Whole `Authorization` header that each request must have',
    usual: 'none: everyone who can reach the port can read users',
  }),
  CONNECTORS_SIGNING_SECRET: z
    .string()
    .transform((secret, context) => {
      const key = webhookKeyOf(secret);
      if (!key) context.addIssue(`has to be ${webhookSecretForm}`);
      return key;
    })
    .optional()
    .meta({
      description:
        'Secret of [signed calls](../optional-contracts.md#signed-calls): batches of actions that are not signed with it are refused',
      usual: 'none: batches need no signature',
    }),
  CONNECTORS_API_URL: z
    .url({ protocol: /^https?$/, error: 'has to be a URL such as http://127.0.0.1:8080' })
    .optional()
    .describe('Muster’s API, which [e-mail](../connectors/e-mail.md) reports receipts and suppressions to'),
  CONNECTORS_API_KEY: z
    .string()
    .regex(/^[\x21-\x7e]{1,512}$/, 'has to be an API key')
    .optional()
    .describe('API key for these reports, of an operator, for the whole installation'),
});

/** Settings of an action of the file, ready for use. There is one type for each form. */
export type ActionSettings = SqlActionSettings | CallActionSettings | MailActionSettings;

export interface ConnectorsConfig {
  databaseUrl: string;
  port: number;
  host: string;
  /** Required `Authorization` header; undefined if requests need none. */
  authorization: string | undefined;
  /** Key with which Muster signs batches of actions; undefined if batches need no signature. */
  signingKey: KeyObject | undefined;
  databases: ReadonlyMap<string, DatabaseSettings>;
  segments: ReadonlyMap<string, SegmentSettings>;
  actions: ReadonlyMap<string, ActionSettings>;
  /** Access to Muster's API; undefined if no action needs it. */
  api: MusterApiSettings | undefined;
  /** Egress rules of the installation, which restrict the addresses that may be called. */
  guard: EgressGuard;
}

/** @throws {ConfigurationError} with a line for each problem of the environment and of the file */
export function readConfig(environment: NodeJS.ProcessEnv): ConnectorsConfig {
  const problems = createProblems();
  const read = problems.of(() => readEnvironment(connectorsEnvironment, environment))?.value;
  const guard = problems.of(() => createEgressGuard([readInstallationEgress(environment)]))?.value;
  if (!read || !guard) throw problems.toError();
  const file = readJsonFile('CONNECTORS_CONFIG', read.CONNECTORS_CONFIG, connectorsFile);
  const terms = { path: read.CONNECTORS_CONFIG, environment, guard, problems };
  const databases = databasesOf(file, terms);
  const segments = segmentsOf(file, terms);
  const actions = actionsOf(file, terms);
  const api = apiOf(read, file, problems);
  if (problems.found) throw problems.toError();
  return {
    databaseUrl: read.DATABASE_URL,
    port: read.CONNECTORS_PORT,
    host: read.CONNECTORS_HOST,
    authorization: read.CONNECTORS_AUTHORIZATION,
    signingKey: read.CONNECTORS_SIGNING_SECRET,
    databases,
    segments,
    guard,
    actions,
    api,
  };
}

interface Terms {
  path: string;
  environment: NodeJS.ProcessEnv;
  guard: EgressGuard;
  problems: Problems;
}

function databasesOf(file: ConnectorsFile, terms: Terms) {
  const { path, environment, guard, problems } = terms;
  const read = Object.entries(file.databases).flatMap(([name, database]): [string, DatabaseSettings][] => {
    const { urlEnv, directory, memoryMb = defaultMemoryMb, maxConnections } = database;
    const field = `${path}: databases.${name}`;
    if (directory !== undefined) {
      if (!hasDuckDb()) problems.add(`${field}.directory needs the package @duckdb/node-api, which is not installed`);
      return [[name, { name, kind: 'files', directory, memoryMb, maxConnections }]];
    }
    const address = problems.of(() => addressOf(urlEnv ?? '', { field: `${field}.urlEnv`, environment, guard }));
    return address ? [[name, { name, maxConnections, ...address.value }]] : [];
  });
  return new Map(read);
}

const defaultMemoryMb = 1000;

/**
 * Returns true if DuckDB is installed. The dependency is optional, because it has 70 MB and most installations read no
 * files.
 */
function hasDuckDb(): boolean {
  try {
    createRequire(import.meta.url).resolve('@duckdb/node-api');
    return true;
  } catch {
    return false;
  }
}

const kinds: Readonly<Record<string, ServerSettings['kind']>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

const usualPorts = { postgres: 5432, mysql: 3306 };

/** Reads the address of a database server. Error messages never quote the address, because it contains a password. */
function addressOf(
  urlEnv: string,
  { field, environment, guard }: { field: string; environment: NodeJS.ProcessEnv; guard: EgressGuard },
): Pick<ServerSettings, 'kind' | 'url'> {
  const url = readSecret(urlEnv, environment);
  if (url === undefined) throw new ConfigurationError(`${field} names ${urlEnv}, which is not set`);
  const kind = kinds[/^\w+:/.exec(url)?.[0].toLowerCase() ?? ''];
  if (kind === undefined)
    throw new ConfigurationError(
      `${field} names ${urlEnv}, which has to begin with postgres://, mysql:// or mariadb://`,
    );
  for (const place of serversIn(url, kind, `${field} names ${urlEnv}, which`)) {
    const cause = guard.whyNot(new URL(`tcp://${place}`));
    if (cause !== null) throw new ConfigurationError(`${field} names ${urlEnv}, which may not be called: ${cause}`);
  }
  return { kind, url };
}

function serversIn(url: string, kind: ServerSettings['kind'], subject: string): string[] {
  const placeOf = (host: string, port: number) => `${host.includes(':') ? `[${host}]` : host}:${port}`;
  if (kind === 'mysql') {
    if (!URL.canParse(url))
      throw new ConfigurationError(`${subject} has to be a URL such as mysql://user:password@host:3306/shop`);
    const { hostname, port } = new URL(url);
    return [`${hostname}:${port === '' ? usualPorts.mysql : port}`];
  }
  try {
    const { servers } = parseDatabaseUrl(url);
    if (servers.length > 1) throw new ConfigurationError(`${subject} has to name one server`);
    const called = servers.filter(({ host }) => host !== '' && !host.startsWith('/'));
    return called.map(({ host, port }) => placeOf(host, port));
  } catch (error) {
    if (!(error instanceof DatabaseUrlError)) throw error;
    throw new ConfigurationError(`${subject} ${error.message}`, { cause: error });
  }
}

function segmentsOf({ segments, databases }: ConnectorsFile, { path, problems }: Terms) {
  const read = Object.entries(segments).map(([id, { query, timeoutSeconds, reuseSeconds, keepHours, ...others }]) => {
    const { database, onDuplicates } = others;
    const field = `${path}: segments.${id}`;
    requireDatabase(Object.keys(databases), { field: `${field}.database`, database, problems });
    if (!/^(\(|select\b|with\b|values\b|table\b|\/\*|--)/i.test(query))
      problems.add(`${field}.query has to be one select, not ${JSON.stringify(query.slice(0, 40))}`);
    const text = query.replace(/[;\s]+$/, '');
    const settings: SegmentSettings = {
      ...others,
      id,
      query: { text, timeoutMs: timeoutSeconds * 1000 },
      reuseMs: reuseSeconds * 1000,
      keepSeconds: keepHours * 3600,
      definition: createHash('sha256')
        .update(JSON.stringify([database, text, onDuplicates]))
        .digest('hex'),
    };
    return [id, settings] as const;
  });
  return new Map(read);
}

function actionsOf(file: ConnectorsFile, terms: Terms) {
  const databases = Object.keys(file.databases);
  const actions = new Map<string, ActionSettings>();
  for (const [id, entry] of Object.entries(file.actions)) {
    const field = `${terms.path}: actions.${id}`;
    if ('statements' in entry && file.databases[entry.database]?.directory !== undefined)
      terms.problems.add(`${field}.database names a directory (${JSON.stringify(entry.database)}), which is only read`);
    const settings = readAction(entry, { ...terms, id, field, databases });
    if (settings) actions.set(id, settings);
  }
  return actions;
}

function readAction(entry: ConnectorsFile['actions'][string], terms: EmailTerms): ActionSettings | undefined {
  if ('statements' in entry) return readSqlAction(entry, terms);
  return 'email' in entry ? readEmailAction(entry, terms) : readCallAction(entry, terms);
}

/** Reads the settings of Muster's API, to which e-mail actions report. */
function apiOf(
  { CONNECTORS_API_URL: url, CONNECTORS_API_KEY: apiKey }: z.infer<typeof connectorsEnvironment>,
  { actions }: ConnectorsFile,
  problems: Problems,
): MusterApiSettings | undefined {
  if (url !== undefined && apiKey !== undefined) return { url: new URL(url), apiKey };
  const mails = Object.entries(actions).flatMap(([id, entry]) => ('email' in entry ? [id] : []));
  if (mails.length > 0)
    problems.add(`CONNECTORS_API_URL and CONNECTORS_API_KEY have to be set for the e-mails of actions.${mails[0]}`);
  return undefined;
}
