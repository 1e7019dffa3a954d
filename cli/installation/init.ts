import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeData, type CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { UsageError } from '../frame/usage-error.ts';

export interface InitOptions {
  /** Unless given, those of compose as this machine sees them. */
  databaseUrl: string | undefined;
  kafkaBrokers: string;
}

const exampleFile = new URL('../../deploy/examples/engine.json', import.meta.url);

/** Writes what an installation of one's own begins with. What is there is never written over. */
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
  // Should another process come in between: it fails, instead of writing over.
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
] as const;

/** Read by compose, by `node --env-file`, and by whatever makes a secret of a file of variables. */
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
# docker compose: the sandbox too; observability adds Prometheus.
COMPOSE_PROFILES=demo
`;
}
