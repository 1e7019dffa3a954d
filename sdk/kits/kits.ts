import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { cacheFolder } from '../../shared/infrastructure/cache-folder.ts';

interface Command {
  program: string;
  args: readonly string[];
}

/** SDK in another language, with the commands of that language's tools that build, test and run it. */
export interface Kit {
  name: string;
  /** Builds the kit and its example. Needs the network the first time. */
  prepare: () => Promise<void>;
  /** Example from the kit's README: an endpoint that records its effects in the table `points`. */
  example: Command;
  unitTests: Command;
}

const run = promisify(execFile);
/**
 * Returns environment variables with the database's address. The tests' Postgres has no TLS, which the driver for Go
 * requires by default. Java needs a JDBC URL.
 */
function databaseVariables(url: string): Record<string, string> {
  const { host, pathname, username, password } = new URL(url);
  const jdbc = new URL(`http://${host}${pathname}`);
  jdbc.search = new URLSearchParams({
    user: decodeURIComponent(username),
    password: decodeURIComponent(password),
  }).toString();
  return { DATABASE_URL: url, PGSSLMODE: 'disable', JDBC_URL: jdbc.href.replace('http:', 'jdbc:postgresql:') };
}
const folderOf = (kit: string) => join(import.meta.dirname, '..', kit);
const built = join(cacheFolder(process.env), 'kits');

const python = join(built, 'python/bin/python');
const quietly = ['--batch-mode', '--no-transfer-progress'];
const javaExample = 'io.github.musterhq.Example';
const goExample = join(built, 'go-example');

export const kits: readonly Kit[] = [
  {
    name: 'python',
    prepare: async () => {
      const project = await readFile(join(folderOf('python'), 'pyproject.toml'), 'utf8');
      const [driver = 'psycopg'] = /psycopg[^"]+/.exec(project) ?? [];
      const isBuilt = await access(python).then(
        () => true,
        () => false,
      );
      if (!isBuilt) await run('python3', ['-m', 'venv', join(built, 'python')]);
      await run(python, ['-m', 'pip', 'install', '--quiet', driver]);
    },
    example: { program: python, args: ['-B', 'example.py'] },
    unitTests: { program: python, args: ['-B', '-m', 'unittest', 'discover', '-s', 'tests', '-t', '.'] },
  },
  {
    name: 'go',
    prepare: async () => {
      await run('go', ['vet', './...'], { cwd: folderOf('go') });
      await run('go', ['build', '-o', goExample, './example'], { cwd: folderOf('go') });
    },
    example: { program: goExample, args: [] },
    // `-count=1` disables Go's cache of test results. The cache ignores the database and would return old results.
    unitTests: { program: 'go', args: ['test', '-count=1', '-v', './...'] },
  },
  {
    name: 'java',
    prepare: async () => {
      const listed = join(folderOf('java'), 'target/classpath');
      await run('mvn', [...quietly, 'test-compile', 'dependency:build-classpath', `-Dmdep.outputFile=${listed}`], {
        cwd: folderOf('java'),
      });
    },
    example: {
      program: 'sh',
      args: ['-c', 'exec java -cp "target/classes:target/test-classes:$(cat target/classpath)" "$0"', javaExample],
    },
    unitTests: { program: 'mvn', args: [...quietly, 'surefire:test'] },
  },
];

export interface UnitTestTerms {
  databaseUrl: string;
  /** URL of an API with the client `orders`. */
  musterUrl: string;
  apiKey: string;
}

/** Runs the kit's own tests. Returns their output, also if they fail. */
export async function runUnitTests(kit: Kit, terms: UnitTestTerms): Promise<{ passed: boolean; output: string }> {
  const { program, args } = kit.unitTests;
  const muster = { MUSTER_URL: terms.musterUrl, MUSTER_API_KEY: terms.apiKey };
  const env = { ...process.env, ...databaseVariables(terms.databaseUrl), ...muster };
  const options = { cwd: folderOf(kit.name), env };
  return await run(program, args, options).then(
    ({ stdout, stderr }) => ({ passed: true, output: stdout + stderr }),
    (error: unknown) => ({ passed: false, output: outputOf(error) }),
  );
}

export interface RunningExample {
  url: string;
  /** Ends the process at once. */
  kill: () => Promise<void>;
}

/** @param contractClass guarantee class (A, B or C) that the endpoint provides */
export async function startExample(kit: Kit, contractClass: string, databaseUrl: string): Promise<RunningExample> {
  const { program, args } = kit.example;
  const env = { ...process.env, ...databaseVariables(databaseUrl), PORT: '0', CLASS: contractClass };
  const child = spawn(program, args, { cwd: folderOf(kit.name), env, stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const lines = createInterface(child.stdout);
  const first: unknown[] = await Promise.race([once(lines, 'line'), ended]);
  const [, url] = /^listening on (\S+)$/.exec(String(first[0])) ?? [];
  if (url === undefined) throw new Error(`the example of ${kit.name} did not start: ${String(first[0])}`);
  return {
    url,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function outputOf(error: unknown): string {
  return error instanceof Error && 'stdout' in error && 'stderr' in error
    ? `${String(error.stdout)}${String(error.stderr)}`
    : String(error);
}
