import { Command, CommanderError } from 'commander';
import packageFacts from '../package.json' with { type: 'json' };
import type { CommandRow } from './frame/command-table.ts';
import { exitCodes, type ExitCode } from './frame/exit-codes.ts';
import { createSession, type SessionDeps } from './frame/session.ts';

type Table = () => Promise<{ commands: readonly CommandRow[] }>;

const installation: Table = () => import('./installation/commands.ts');
const demo: Table = () => import('./demo/commands.ts');
const keys: Table = () => import('./api-keys/commands.ts');
const scheduler: Table = () => import('./scheduler/commands.ts');

/** The first word of each command, and the table that it stands in. */
const tables: Record<string, Table> = {
  demo,
  up: demo,
  serve: installation,
  migrate: installation,
  topics: installation,
  config: installation,
  'first-key': installation,
  init: installation,
  grants: installation,
  restored: installation,
  size: () => import('./sizing/commands.ts'),
  doctor: installation,
  campaign: () => import('./campaigns/commands.ts'),
  approvals: () => import('./approvals/commands.ts'),
  template: () => import('./templates/commands.ts'),
  run: () => import('./runs/commands.ts'),
  explain: () => import('./runs/explain-command.ts'),
  audience: () => import('./audiences/commands.ts'),
  'saved-audience': () => import('./audiences/saved-commands.ts'),
  segments: () => import('./segments/commands.ts'),
  suppressions: () => import('./suppressions/commands.ts'),
  'quiet-hours': () => import('./quiet-hours/commands.ts'),
  'action-types': () => import('./action-types/commands.ts'),
  shards: () => import('./shards/commands.ts'),
  'api-keys': keys,
  quotas: keys,
  clients: () => import('./clients/commands.ts'),
  jobs: () => import('./jobs/commands.ts'),
  'dead-jobs': () => import('./jobs/dead-job-commands.ts'),
  schedules: () => import('./schedules/commands.ts'),
  groups: () => import('./schedules/group-commands.ts'),
  'work-calendars': () => import('./schedules/work-calendar-commands.ts'),
  scheduler,
  regions: scheduler,
  'enable-host': scheduler,
  'dead-letters': () => import('./trouble/dead-letter-commands.ts'),
  quarantined: () => import('./trouble/quarantine-commands.ts'),
  webhooks: () => import('./webhooks/commands.ts'),
  audit: () => import('./audit/commands.ts'),
  console: () => import('./console/commands.ts'),
  'check-endpoint': () => import('./check-endpoint/commands.ts'),
};

/** Without commands yet. */
export function createProgram(): Command {
  return new Command('muster')
    .description('Batch campaigns on Kafka and Postgres: who, what and when for millions of users.')
    .version(packageFacts.version, '-V, --version')
    .option('--json', 'data as JSON');
}

/** Runs one command line, without the names of node and script, and returns the exit code. Never throws. */
export async function runProgram(args: readonly string[], deps: SessionDeps): Promise<ExitCode> {
  const session = createSession(deps);
  const { terminal } = deps;
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.note(text) })
    .showHelpAfterError('(--help shows what there is)');
  try {
    for (const row of await rowsFor(args)) row.addTo(program, session);
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has already said what is wrong, or printed the help that was asked for.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failure;
  }
}

/**
 * Those of the word that was typed, so that one command does not wait for the others to load; all of them for `--help`
 * and for typing errors.
 */
async function rowsFor(args: readonly string[]): Promise<readonly CommandRow[]> {
  const word = args.find((arg) => !arg.startsWith('-')) ?? '';
  const named = tables[word];
  return named ? (await named()).commands : allRows();
}

/** Each command once, in the order of their tables. */
export async function allRows(): Promise<readonly CommandRow[]> {
  const loaded = await Promise.all([...new Set(Object.values(tables))].map((table) => table()));
  return loaded.flatMap(({ commands }) => commands);
}
