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
  /** Called when a command wants to hear of Ctrl-C itself; until then it ends the process as usual. */
  onInterrupt: () => AbortSignal;
}

/** One call of the command line: runs the command and keeps what it ended with. */
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
