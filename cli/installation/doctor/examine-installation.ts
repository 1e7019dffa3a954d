import { publicId } from '../../../shared/domain/ids/ids.ts';
import { refusalOf } from '../../../shared/domain/versions.ts';
import { nearlyUsed, storedQuotas, type Quotas } from '../../../shared/domain/quotas.ts';
import type { Check } from '../../../shared/infrastructure/doctor.ts';
import { brokerAnswers, databaseAnswers } from '../../../shared/infrastructure/given-servers.ts';
import { createKafka } from '../../../shared/kafka/client/connection.ts';
import { requireBrokerOnce } from '../../../shared/kafka/cluster/broker-check.ts';
import { readInstallation } from '../../../shared/postgres/registry/installation.ts';
import { checkClock } from '../../../shared/postgres/connection/check-clock.ts';
import { readLogArchive } from '../../../shared/postgres/connection/log-archive.ts';
import { checkPartitionsAhead } from '../../../shared/postgres/connection/partitions-ahead.ts';
import { createPool } from '../../../shared/postgres/connection/pool.ts';
import { requireOwnSessions, requireWritable } from '../../../shared/postgres/connection/right-server.ts';
import { readSchemaProblem } from '../../../shared/postgres/connection/room-for-tables.ts';
import { checkRoundTrip } from '../../../shared/postgres/connection/round-trip.ts';
import { checkServers } from '../../../shared/postgres/connection/servers/check-servers.ts';
import { createRegistrySource } from '../../../shared/postgres/registry/registry.ts';
import { readProcessStanding } from '../../../shared/postgres/registry/process-standing.ts';
import { readSchemaState, type SchemaState } from '../../../shared/postgres/connection/schema-state.ts';
import { readQuotaUse, type AccountUse } from '../../../shared/postgres/registry/account-quotas.ts';
import { readRestored, type Restored } from '../../../shared/postgres/restored/settle-restored.ts';
import { readServiceSettings, type ServiceSetting } from '../../../shared/postgres/registry/service-settings.ts';
import { openSecrets } from '../../../shared/runtime/installation/action-type-secrets.ts';
import { ConfigurationError } from '../../../shared/runtime/configuration/configuration-error.ts';
import { checkSecrets, readEngineConfig } from '../../../shared/runtime/configuration/engine-config-file.ts';
import { parseDatabaseUrl } from '../../../shared/runtime/configuration/database-url.ts';
import { commonEnvironment, readEnvironment } from '../../../shared/runtime/configuration/environment.ts';
import {
  contradictionsBetween,
  installationConfigOf,
} from '../../../shared/runtime/installation/installation-config.ts';
import { quotaEnvironment, quotasOf } from '../../../shared/runtime/configuration/quotas.ts';
import { readKafkaSecurity } from '../../../shared/runtime/configuration/kafka-security.ts';
import { createLogger } from '../../../shared/runtime/logger.ts';
import { packageVersion } from '../../../shared/runtime/version.ts';
import { readSecretBox } from '../../../shared/runtime/configuration/secret-box.ts';
import { archiveLine } from './check-archive.ts';
import { checkConfiguration, configuredIn } from './check-configuration.ts';
import { checkEndpoints } from './check-endpoints.ts';
import { checkIssuer } from './check-issuer.ts';
import { processLine } from './check-processes.ts';
import { topicsOfFile } from '../../../shared/runtime/installation/shard-topics.ts';

/** Checks engine file, secrets, schema, installation and topics, as far as they are configured and reachable. */
export async function examineInstallation(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  return [
    ...checkFile(environment),
    ...(await checkWhole(environment)),
    ...(await checkDatabase(environment)),
    ...(await checkTopics(environment)),
    ...(await checkEndpoints(calledServices(environment))),
    ...(await checkIssuer(environment)),
  ];
}

/** Checks the whole configuration as the services read it, if it is complete. */
async function checkWhole(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const hasAll =
    ['MUSTER_CONFIG', 'KAFKA_BROKERS'].every((name) => isSet(environment, name)) && namesDatabase(environment);
  return hasAll ? await checkConfiguration(configuredIn(environment), environment) : [];
}

function namesDatabase(environment: NodeJS.ProcessEnv): boolean {
  return isSet(environment, 'DATABASE_URL') || isSet(environment, 'DATABASE_URL_FILE');
}

function checkFile(environment: NodeJS.ProcessEnv): Check[] {
  if (!isSet(environment, 'MUSTER_CONFIG')) return [];
  return [
    checkOf('MUSTER_CONFIG', 'see docs/configuration.md', () => {
      const { countries, actionTypes } = readEngineConfig(environment);
      return `${countries?.join(', ') ?? 'any country'}; ${Object.keys(actionTypes).join(', ')}`;
    }),
    checkOf('secrets', 'set them, or <name>_FILE with the path of a file', () => {
      const services = calledServices(environment);
      checkSecrets(services, environment);
      const named = services.filter(({ authorizationEnv }) => authorizationEnv !== undefined).length;
      return named === 0 ? 'the file names none' : `all ${named} are there`;
    }),
  ];
}

/** Returns the called services; empty for an invalid file, which another check reports. */
function calledServices(environment: NodeJS.ProcessEnv) {
  try {
    const { segmentation, actionTypes } = readEngineConfig(environment);
    return [segmentation, ...Object.values(actionTypes)];
  } catch {
    return [];
  }
}

async function checkDatabase(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  if (!namesDatabase(environment)) return [];
  const read = readable(() => readEnvironment(commonEnvironment.pick({ DATABASE_URL: true }), environment));
  // Another check reports the errors of this variable.
  if (!read) return [];
  const { DATABASE_URL } = read;
  if (!(await databaseAnswers({ DATABASE_URL }))) return [];
  return [...(await serverChecks(DATABASE_URL)), ...(await checkContent(DATABASE_URL, environment))];
}

/** Checks which of several database servers is the primary. */
async function serverChecks(url: string): Promise<Check[]> {
  if (parseDatabaseUrl(url).servers.length === 1) return [];
  const fix = 'one of them has to lead: see "What stands before Postgres" in docs/postgres.md';
  return [await laterCheckOf('servers', fix, () => checkServers(url))];
}

async function checkContent(connectionString: string, environment: NodeJS.ProcessEnv): Promise<Check[]> {
  const logger = createLogger('doctor', 'silent');
  const pool = createPool({ connectionString, applicationName: 'muster-doctor', max: 2, logger });
  try {
    const sessions = await laterCheckOf(
      'sessions',
      'see "What stands before Postgres" in docs/postgres.md',
      async () => {
        await requireOwnSessions(pool);
        await requireWritable(pool);
        return 'are its own, and may write';
      },
    );
    if (!sessions.ok) return [sessions];
    const schema = await laterCheckOf('schema', 'muster migrate', async () => {
      const state = await readSchemaState(pool);
      const refusal = refusalOf(packageVersion, state);
      if (refusal !== undefined) throw new Error((await readSchemaProblem(pool)) ?? refusal);
      return schemaLine(state);
    });
    const values = await laterCheckOf('values', 'see "Settings of the session" in docs/postgres.md', () =>
      checkRoundTrip(pool),
    );
    if (!schema.ok) return [sessions, schema, values];
    const clocks = await laterCheckOf('clocks', 'keep both machines on time, by NTP', () => checkClock(pool));
    const processes = await laterCheckOf(
      'processes',
      'keep every machine on time, by NTP, and run all of them with the same image or Node',
      async () => processLine(await readProcessStanding(pool)),
    );
    const partitions = await laterCheckOf('partitions', 'apply muster grants anew', () => checkPartitionsAhead(pool));
    const archive = await laterCheckOf('log archive', "Postgres' own log says why: docs/restore.md", async () =>
      archiveLine(await readLogArchive(pool)),
    );
    const kept = await laterCheckOf('kept secrets', 'set MUSTER_SECRETS_KEY as it was, or set them anew', async () => {
      const box = readSecretBox(environment);
      const { actionTypes } = await createRegistrySource({ pool }).read();
      const opened = actionTypes.flatMap((type) => Object.keys(openSecrets(type, box)));
      return opened.length === 0 ? 'there are none' : `all ${opened.length} open`;
    });
    const quotas = await laterCheckOf(
      'quotas',
      'delete lists, let runs end, or raise what docs/configuration.md names',
      async () =>
        nearestQuota(await readQuotaUse(pool, null), quotasOf(readEnvironment(quotaEnvironment, environment))),
    );
    const settings = await laterCheckOf(
      'settings',
      'give all of them the same value, and start them again',
      async () => {
        const { QUOTA_OPEN_RUNS: value } = readEnvironment(quotaEnvironment, environment);
        const here = { service: 'this command', name: 'QUOTA_OPEN_RUNS', value: String(value) };
        return agreement([...(await readServiceSettings(pool)), here]);
      },
    );
    const restored = await laterCheckOf('restored', 'resume or cancel each: docs/restore.md', async () =>
      restoredLine(await readRestored(pool)),
    );
    const all = [sessions, schema, values, clocks, processes, partitions, archive, kept, quotas, settings, restored];
    if (!isSet(environment, 'MUSTER_CONFIG')) return all;
    const installation = await laterCheckOf('installation', 'correct the file, or muster config apply', async () => {
      const { id, config } = await readInstallation(pool);
      const contradictions = contradictionsBetween(config, installationConfigOf(readEngineConfig(environment)));
      if (contradictions.length > 0) throw new Error(contradictions.join('; '));
      return `${id}, as the file says`;
    });
    return [...all, installation];
  } finally {
    await pool.end();
  }
}

function schemaLine({ unknown, made }: SchemaState): string {
  const by = made === null ? '' : `, made by ${made.version} at ${made.at.toISOString()}`;
  const room = made === null || made.oldest === packageVersion ? '' : `; ${made.oldest} and newer may work on it`;
  return unknown.length === 0
    ? `is that of this version, ${packageVersion}${by}${room}`
    : `is newer than this version, ${packageVersion}${by}${room}: ${unknown.join(', ')}`;
}

/** @throws if runs are still paused after a restore */
function restoredLine(restored: Restored | undefined): string {
  if (!restored) return 'never, to an earlier moment';
  const at = restored.at.toISOString();
  if (restored.open > 0) throw new Error(`${at}: ${restored.open} runs are paused since`);
  return `${at}, and no run waits for a person since`;
}

/** @throws if a quota is nearly used up */
function nearestQuota(uses: readonly AccountUse[], quotas: Quotas): string {
  const shares = uses.flatMap(({ account, ...use }) =>
    storedQuotas.map((name) => {
      const whose = name === 'allListBytes' ? '' : ` of ${publicId('apiKey', account)}`;
      const share = use[name] / quotas[name];
      return { share, description: `${name}${whose} ${Math.floor(share * 100)} %` };
    }),
  );
  const near = shares.filter(({ share }) => share >= nearlyUsed);
  if (near.length > 0)
    throw new Error(`nearly used: ${[...new Set(near.map(({ description }) => description))].join(', ')}`);
  const [most] = shares.toSorted((a, b) => b.share - a.share);
  return most && most.share > 0 ? `the nearest is ${most.description}` : 'nothing of them is used';
}

/** @throws if services run with different values of a setting */
function agreement(settings: readonly ServiceSetting[]): string {
  const byName = [...Map.groupBy(settings, ({ name }) => name)].filter(([, of]) => of.length > 1);
  const differing = byName
    .filter(([, of]) => new Set(of.map(({ value }) => value)).size > 1)
    .map(([name, of]) => `${name} is ${of.map(({ service, value }) => `${value} in ${service}`).join(', ')}`);
  if (differing.length > 0) throw new Error(differing.join('; '));
  if (byName.length === 0) return 'no service has said with what it runs yet';
  const services = new Set(byName.flatMap(([, of]) => of.map(({ service }) => service)));
  return `${byName.map(([name]) => name).join(', ')}: the same in ${[...services].join(', ')}`;
}

async function checkTopics(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  if (!isSet(environment, 'KAFKA_BROKERS') || !isSet(environment, 'MUSTER_CONFIG')) return [];
  const shape = commonEnvironment.pick({ KAFKA_BROKERS: true, MUSTER_TOPIC_PREFIX: true });
  const read = readable(() => ({ ...readEnvironment(shape, environment), security: readKafkaSecurity(environment) }));
  if (!read) return [];
  const { KAFKA_BROKERS: brokers, MUSTER_TOPIC_PREFIX: prefix, security } = read;
  if (!(await Promise.all(brokers.map(brokerAnswers))).includes(true)) return [];
  const logger = createLogger('doctor', 'silent');
  const kafka = createKafka({ brokers, security, clientId: 'muster-doctor', logger });
  const answering = await laterCheckOf(
    'brokers',
    'look whether their processes are stopped, or overloaded',
    async () => {
      await requireBrokerOnce({ kafka, brokers });
      return 'answer requests';
    },
  );
  if (!answering.ok) return [answering];
  const admin = kafka.admin();
  const topics = await laterCheckOf('topics', 'muster topics', async () => {
    await admin.connect();
    const existing = new Set(await admin.listTopics());
    const required = topicsOfFile(readEngineConfig(environment), prefix).map(({ topic }) => topic);
    const missing = required.filter((topic) => !existing.has(topic));
    if (missing.length > 0) throw new Error(`not there: ${missing.join(', ')}`);
    return `all ${required.length} are there`;
  });
  await admin.disconnect();
  return [answering, topics];
}

/** Returns undefined if the configuration is invalid, which another check reports. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof ConfigurationError) return undefined;
    throw error;
  }
}

function isSet(environment: NodeJS.ProcessEnv, name: string): boolean {
  return (environment[name] ?? '') !== '';
}

function checkOf(name: string, fix: string, examine: () => string): Check {
  try {
    return { name, ok: true, found: examine(), fix };
  } catch (error) {
    return refused(name, fix, error);
  }
}

async function laterCheckOf(name: string, fix: string, look: () => Promise<string>): Promise<Check> {
  try {
    return { name, ok: true, found: await look(), fix };
  } catch (error) {
    return refused(name, fix, error);
  }
}

function refused(name: string, fix: string, error: unknown): Check {
  const found =
    error instanceof ConfigurationError
      ? error.problems.join('; ')
      : error instanceof Error
        ? error.message
        : String(error);
  return { name, ok: false, found, fix };
}
