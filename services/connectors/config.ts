import { createHash, type KeyObject } from 'node:crypto';
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
import { parameters, unknownParameters } from './databases/placeholders.ts';
import type { ActionSettings } from './databases/target.port.ts';
import { connectorsFile, type ConnectorsFile } from './connectors-file.contract.ts';
import type { DatabaseSettings } from './databases/source.port.ts';
import type { SegmentSettings } from './segments/segment-settings.ts';

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
    .describe('Where it answers; 0 takes a free one'),
  CONNECTORS_HOST: z.string().default('127.0.0.1').describe('Of the same'),
  CONNECTORS_AUTHORIZATION: z.string().min(16).optional().meta({
    description: 'The `Authorization` header that each request has to have, as a whole',
    usual: 'none: whoever reaches the port reads users',
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
});

export interface ConnectorsConfig {
  databaseUrl: string;
  port: number;
  host: string;
  /** Undefined: requests need no `Authorization` header. */
  authorization: string | undefined;
  /** Undefined: batches of actions need no signature. */
  signingKey: KeyObject | undefined;
  databases: ReadonlyMap<string, DatabaseSettings>;
  segments: ReadonlyMap<string, SegmentSettings>;
  actions: ReadonlyMap<string, ActionSettings>;
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
  if (problems.found) throw problems.toError();
  return {
    databaseUrl: read.DATABASE_URL,
    port: read.CONNECTORS_PORT,
    host: read.CONNECTORS_HOST,
    authorization: read.CONNECTORS_AUTHORIZATION,
    signingKey: read.CONNECTORS_SIGNING_SECRET,
    databases,
    segments,
    actions,
  };
}

interface Terms {
  path: string;
  environment: NodeJS.ProcessEnv;
  guard: EgressGuard;
  problems: Problems;
}

function databasesOf(file: ConnectorsFile, { path, environment, guard, problems }: Terms) {
  const read = Object.entries(file.databases).flatMap(([name, { urlEnv, maxConnections }]) => {
    const address = problems.of(() =>
      addressOf(urlEnv, { field: `${path}: databases.${name}.urlEnv`, environment, guard }),
    );
    return address ? [[name, { name, maxConnections, ...address.value }] as const] : [];
  });
  return new Map(read);
}

const kinds: Readonly<Record<string, DatabaseSettings['kind']>> = {
  'postgres:': 'postgres',
  'postgresql:': 'postgres',
  'mysql:': 'mysql',
  'mariadb:': 'mysql',
};

const usualPorts = { postgres: 5432, mysql: 3306 };

/** Never quotes the address, which has a password. */
function addressOf(
  urlEnv: string,
  { field, environment, guard }: { field: string; environment: NodeJS.ProcessEnv; guard: EgressGuard },
): Pick<DatabaseSettings, 'kind' | 'url'> {
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

function serversIn(url: string, kind: DatabaseSettings['kind'], subject: string): string[] {
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
    requireDatabase(databases, { field, database, problems });
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

function actionsOf({ actions, databases }: ConnectorsFile, { path, problems }: Terms) {
  const read = Object.entries(actions).map(([id, { timeoutSeconds, ...others }]) => {
    const field = `${path}: actions.${id}`;
    requireDatabase(databases, { field, database: others.database, problems });
    for (const [place, statement] of others.statements.entries()) {
      for (const unknown of unknownParameters(statement)) {
        const known = parameters.map((each) => `:${each}`).join(', ');
        problems.add(`${field}.statements.${place} has to name one of ${known}, not ":${unknown}"`);
      }
    }
    return [id, { ...others, id, timeoutMs: timeoutSeconds * 1000 }] as const;
  });
  return new Map(read);
}

function requireDatabase(
  databases: ConnectorsFile['databases'],
  { field, database, problems }: { field: string; database: string; problems: Problems },
): void {
  if (Object.hasOwn(databases, database)) return;
  const known = Object.keys(databases).join(', ') || 'none';
  problems.add(`${field}.database has to be a name from databases (${known}), not ${JSON.stringify(database)}`);
}
