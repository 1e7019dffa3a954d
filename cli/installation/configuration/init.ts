import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeData, type CommandContext } from '../../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../../frame/exit-codes.ts';
import { UsageError } from '../../frame/usage-error.ts';

export interface InitOptions {
  /** Server addresses; by default those of docker compose on this machine. */
  databaseUrl: string | undefined;
  kafkaBrokers: string;
}

const exampleFile = new URL('../../../deploy/examples/engine.json', import.meta.url);

/** Writes the initial files of an installation. Never overwrites a file. */
export async function initInstallation(
  folder: string,
  options: InitOptions,
  context: CommandContext,
): Promise<ExitCode> {
  const engine = await readFile(exampleFile, 'utf8');
  const files = [
    { path: join(folder, '.env'), text: environmentText(options), mode: 0o600 },
    { path: join(folder, 'engine.json'), text: engine, mode: 0o644 },
  ];
  const there = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
  if (there.length > 0) throw new UsageError(`${there.join(' and ')} exist already: nothing was written`);
  await mkdir(folder, { recursive: true });
  // The flag `wx` fails if another process has created the file meanwhile.
  for (const { path, text, mode } of files) await writeFile(path, text, { mode, flag: 'wx' });
  const paths = files.map(({ path }) => path);
  context.terminal.note('new secrets are in .env, which nobody else can read: keep it, and out of repositories\n');
  writeData(context, { files: paths }, () => paths.map((path) => `${path}\n`).join(''));
  return exitCodes.ok;
}

const roleSecrets = [
  'MUSTER_OWNER_PASSWORD',
  'MUSTER_ENGINE_PASSWORD',
  'MUSTER_API_PASSWORD',
  'MUSTER_SANDBOX_PASSWORD',
  'MUSTER_CONNECTORS_PASSWORD',
] as const;

/** Returns variables for compose, `node --env-file`, and tools that create secrets from such files. */
function environmentText({ databaseUrl, kafkaBrokers }: InitOptions): string {
  const password = randomBytes(24).toString('hex');
  return `# Of this installation alone. docs/configuration.md says what each means.
POSTGRES_PASSWORD=${password}
# docker compose: each service works by a role of its own.
${roleSecrets.map((name) => `${name}=${randomBytes(24).toString('hex')}\n`).join('')}DATABASE_URL=${databaseUrl ?? `postgres://muster:${password}@127.0.0.1:5432/muster`}
KAFKA_BROKERS=${kafkaBrokers}
MUSTER_CONFIG=engine.json
# What secrets in the database are encrypted with: without it they are lost.
MUSTER_SECRETS_KEY=${randomBytes(32).toString('base64')}
# An operator's key from the start: make others with it (muster api-keys), then take it away.
MUSTER_BOOTSTRAP_API_KEY=muster_${randomBytes(24).toString('hex')}
# docker compose: the sandbox too; observability adds Prometheus, connectors adds segments and actions by SQL.
COMPOSE_PROFILES=demo
`;
}
