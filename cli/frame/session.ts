import type { Readable } from 'node:stream';
import { ConfigurationError } from '../../shared/runtime/configuration/configuration-error.ts';
import { ApiRefusal } from '../api/failures.ts';
import type { CommandContext } from './command-context.ts';
import { exitCodes, type ExitCode } from './exit-codes.ts';
import { renderProblem } from '../api/problem.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export interface SessionDeps {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
  input: Readable;
  /** Called if a command handles Ctrl-C itself; until then Ctrl-C ends the process. */
  onInterrupt: () => AbortSignal;
}

/** One invocation of the command line. Runs the command and stores its exit code. */
export interface Session {
  run(json: boolean, command: (context: CommandContext) => Promise<ExitCode>): Promise<void>;
  readonly exitCode: ExitCode;
}

export function createSession({ onInterrupt, ...deps }: SessionDeps): Session {
  let exitCode: ExitCode = exitCodes.ok;
  let interrupt: AbortSignal | undefined;
  return {
    run: async (json, command) => {
      const context: CommandContext = {
        ...deps,
        json,
        get signal() {
          return (interrupt ??= onInterrupt());
        },
      };
      try {
        exitCode = await command(context);
      } catch (error) {
        exitCode = tell(error, json, deps.terminal);
      }
    },
    get exitCode() {
      return exitCode;
    },
  };
}

function tell(error: unknown, json: boolean, terminal: Terminal): ExitCode {
  if (error instanceof ApiRefusal) {
    terminal.note(json ? `${JSON.stringify(error.problem)}\n` : renderProblem(error.problem, error.wording));
    return exitCodes.refused;
  }
  terminal.note(`${error instanceof Error ? error.message || error.name : String(error)}\n`);
  return error instanceof UsageError || error instanceof ConfigurationError ? exitCodes.usage : exitCodes.failure;
}
