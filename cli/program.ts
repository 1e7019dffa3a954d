import { Command, CommanderError } from 'commander';
import packageFacts from '../package.json' with { type: 'json' };
import { exitCodes, type ExitCode } from './frame/exit-codes.ts';
import {
  addCommands,
  findCommandFiles,
  loadAllCommands,
  loadCommand,
  type FoundCommand,
} from './frame/found-commands.ts';
import { createSession, type SessionDeps } from './frame/session.ts';

export function createProgram(): Command {
  return new Command('muster')
    .description('Batch campaigns on Kafka and Postgres: who, what and when for millions of users.')
    .version(packageFacts.version, '-V, --version')
    .option('--json', 'data as JSON');
}

/** Runs one command line (without node and script) and returns the exit code. Never throws. */
export async function runProgram(args: readonly string[], deps: SessionDeps): Promise<ExitCode> {
  const session = createSession(deps);
  const { terminal } = deps;
  const program = createProgram()
    .exitOverride()
    .configureOutput({ writeOut: (text) => terminal.out(text), writeErr: (text) => terminal.note(text) })
    .showHelpAfterError('(--help shows what there is)');
  try {
    addCommands(program, await commandsFor(args), session);
    await program.parseAsync([...args], { from: 'user' });
    return session.exitCode;
  } catch (error) {
    // Commander has already printed the error or the requested help.
    if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.ok : exitCodes.usage;
    terminal.note(`${error instanceof Error ? error.message : String(error)}\n`);
    return exitCodes.failure;
  }
}

/** Loads only the command of the first word for speed; loads all commands for `--help` and for unknown words. */
async function commandsFor(args: readonly string[]): Promise<FoundCommand[]> {
  const files = findCommandFiles();
  const word = args.find((arg) => !arg.startsWith('-')) ?? '';
  const file = files.get(word);
  return file ? [await loadCommand(word, file)] : loadAllCommands(files);
}
