import { existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import { cacheFolder } from './cache-folder.ts';
import { definedOnly, type Guardian } from './guarded-processes.ts';
import { findCommand, installCommand } from './install-hints.ts';
import { failureLineOf } from './server-log.ts';

export const kafkaVersion = '4.3.1';
/** Kafka's own POM has no slf4j binding. */
const log4jVersion = '2.25.4';
const copyDependencies = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
/** Maximum time of a fetch, in milliseconds. A lock that is older was left behind. */
const fetchDeadlineMs = 5 * 60_000;

export interface KafkaArtifactsDeps {
  environment: NodeJS.ProcessEnv;
  guardian: Guardian;
  report: (line: string) => void;
}

export function kafkaFolder(environment: NodeJS.ProcessEnv): string {
  return join(cacheFolder(environment), `kafka-${kafkaVersion}-log4j-${log4jVersion}`);
}

/**
 * Returns the folder of Kafka's jars, which is fetched once. The lock keeps a second process from fetching too. The
 * folder appears by a rename, so it is complete or absent even without the lock.
 */
export async function fetchKafka(deps: KafkaArtifactsDeps): Promise<string> {
  const folder = kafkaFolder(deps.environment);
  await mkdir(join(folder, '..'), { recursive: true });
  let waiting = false;
  while (!existsSync(folder)) {
    const lock = `${folder}.lock`;
    if (await takeLock(lock)) {
      try {
        if (!existsSync(folder)) await fetchInto(folder, deps);
      } finally {
        await rm(lock, { force: true });
      }
    } else {
      if (!waiting) deps.report(`waiting for another process that fetches Kafka ${kafkaVersion}`);
      waiting = true;
      await wait(200);
    }
  }
  return folder;
}

/** Creates the lock file with the owner's process id. If the present owner is gone, frees the lock for the next try. */
async function takeLock(lock: string): Promise<boolean> {
  try {
    await writeFile(lock, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    if (await isAbandoned(lock)) await rm(lock, { force: true });
    return false;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    const [owner, { mtimeMs }] = await Promise.all([readFile(lock, 'utf8'), stat(lock)]);
    if (Date.now() - mtimeMs > fetchDeadlineMs) return true;
    // If the file is empty, its owner has created it but not written it yet.
    return owner !== '' && !isRunning(Number(owner));
  } catch {
    return false;
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists, and runs as another user.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

async function fetchInto(folder: string, { environment, guardian, report }: KafkaArtifactsDeps): Promise<void> {
  const maven = findCommand('mvn', environment);
  if (maven === undefined) {
    const install = installCommand('maven', environment);
    throw new ConfigurationError(`Kafka ${kafkaVersion} is fetched by Maven, and there is no mvn here: ${install}`);
  }
  report(`fetching Kafka ${kafkaVersion} (44 MB, once)`);
  const partial = `${folder}.partial`;
  const logFile = `${folder}.log`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { recursive: true });
  await rm(logFile, { force: true });
  await writeFile(join(partial, 'pom.xml'), pom());
  await runMaven(maven, { partial, logFile, environment, guardian });
  await rename(join(partial, 'libs'), folder);
  await rm(partial, { recursive: true, force: true });
  await rm(logFile, { force: true });
}

async function runMaven(
  command: string,
  options: { partial: string; logFile: string; environment: NodeJS.ProcessEnv; guardian: Guardian },
): Promise<void> {
  const { partial, logFile, environment, guardian } = options;
  const fetching = await guardian.start({
    command,
    args: [
      '-B',
      '-q',
      '-Dstyle.color=never',
      copyDependencies,
      '-DincludeScope=runtime',
      `-DoutputDirectory=${join(partial, 'libs')}`,
    ],
    cwd: partial,
    env: definedOnly(environment),
    logFile,
    endSignal: 'SIGKILL',
  });
  const deadline = setTimeout(() => fetching.signal('SIGKILL'), fetchDeadlineMs);
  const exit = await fetching.exited;
  clearTimeout(deadline);
  if (exit.clean) return;
  throw new ConfigurationError(
    `Maven could not fetch Kafka ${kafkaVersion} (${exit.how}): ${await failureLineOf(logFile)}; ` +
      `it needs a way to Maven Central or a mirror in ~/.m2/settings.xml; everything it said is in ${logFile}`,
  );
}

function pom(): string {
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>muster</groupId><artifactId>local-kafka</artifactId><version>1</version><packaging>pom</packaging>
  <dependencies>
    <dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>${kafkaVersion}</version></dependency>
    <dependency>
      <groupId>org.apache.logging.log4j</groupId><artifactId>log4j-slf4j-impl</artifactId><version>${log4jVersion}</version>
    </dependency>
  </dependencies>
</project>
`;
}
