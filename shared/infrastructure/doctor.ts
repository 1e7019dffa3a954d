import { existsSync } from 'node:fs';
import { parseDatabaseUrl } from '../runtime/configuration/database-url.ts';
import { brokerAnswers, serverAnswers } from './given-servers.ts';
import { readRequest, type InfrastructureRequest } from './infrastructure.ts';
import { findCommand, installCommand } from './install-hints.ts';
import { findJava } from './java.ts';
import { containersLeftOut, loadContainers } from './load-containers.ts';
import { kafkaFolder, kafkaVersion } from './kafka-artifacts.ts';
import { findPostgresBinaries } from './postgres-binaries.ts';

/** Minimum version of package.json's `engines`. */
const oldestNode = [22, 22] as const;

export interface Check {
  name: string;
  /** False only if something blocks a start: a missing tool that is not needed is fine. */
  ok: boolean;
  found: string;
  fix: string;
}

/** Checks everything that `startInfrastructure` would use in this environment, and starts nothing. */
export async function examine(environment: NodeJS.ProcessEnv): Promise<Check[]> {
  let wanted: InfrastructureRequest;
  try {
    wanted = readRequest(environment);
  } catch (error) {
    return [
      checkNode(),
      { name: 'environment', ok: false, found: messageOf(error), fix: 'see docs/infrastructure.md' },
    ];
  }
  if (wanted.kind === 'external') {
    return [
      checkNode(),
      await checkDatabase(wanted.given),
      ...(await Promise.all(wanted.given.KAFKA_BROKERS.map(checkBroker))),
    ];
  }
  const containers = await loadContainers();
  const runtime = await containers?.findContainerRuntime();
  const localNeeded = wanted.kind === 'local' || (wanted.kind === 'auto' && runtime === undefined);
  return [
    checkNode(),
    {
      name: 'container runtime',
      ok: wanted.kind !== 'containers' || runtime !== undefined,
      found:
        runtime?.description ??
        (containers ? `none answers${localNeeded ? '; local processes take its place' : ''}` : containersLeftOut),
      fix: 'start Docker or Podman, or set INFRA=local',
    },
    ...(await checkLocal(environment, localNeeded)),
  ];
}

function checkNode(): Check {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const ok = major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1]);
  return { name: 'Node', ok, found: process.versions.node, fix: `use Node ${oldestNode.join('.')} or newer` };
}

async function checkDatabase(given: { DATABASE_URL: string }): Promise<Check> {
  const found = await Promise.all(
    parseDatabaseUrl(given.DATABASE_URL).servers.map(async (server) => {
      const answers = await serverAnswers(server);
      return { answers, text: answers ? `${server.name} answers` : `nobody answers at ${server.name}` };
    }),
  );
  return {
    name: 'DATABASE_URL',
    ok: found.some(({ answers }) => answers),
    found: found.map(({ text }) => text).join(', '),
    fix: 'start it, or correct the variable',
  };
}

async function checkBroker(broker: string): Promise<Check> {
  const ok = await brokerAnswers(broker);
  return {
    name: 'KAFKA_BROKERS',
    ok,
    found: ok ? `${broker} answers` : `nobody answers at ${broker}`,
    fix: 'start it, or correct the variable',
  };
}

async function checkLocal(environment: NodeJS.ProcessEnv, needed: boolean): Promise<Check[]> {
  const folder = kafkaFolder(environment);
  const cached = existsSync(folder);
  const maven = findCommand('mvn', environment);
  const java = await attempt(async () => {
    const { command, version } = await findJava(environment);
    return `${version} (${command})`;
  });
  return [
    { name: 'Java', ok: java.done || !needed, found: java.text, fix: installCommand('java', environment) },
    {
      name: 'Maven',
      ok: maven !== undefined || cached || !needed,
      found: maven ?? 'none; it fetches Kafka once',
      fix: installCommand('maven', environment),
    },
    {
      name: `Kafka ${kafkaVersion}`,
      ok: true,
      found: cached ? folder : 'not fetched yet; the first start does it',
      fix: 'npm run demo',
    },
    {
      name: 'PostgreSQL',
      ok: true,
      found: findPostgresBinaries(environment) ?? 'not fetched yet; the first start does it',
      fix: 'npm run demo',
    },
  ];
}

async function attempt(find: () => Promise<string>): Promise<{ done: boolean; text: string }> {
  try {
    return { done: true, text: await find() };
  } catch (error) {
    return { done: false, text: messageOf(error) };
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
