import type { CommandContext } from '../frame/command-context.ts';
import type { ExitCode } from '../frame/exit-codes.ts';
import { createPaint } from '../show/paint.ts';
import { howToTry } from './how-to-try.ts';
import { whereTheConsoleIs } from './where-the-console-is.ts';
import { whenAborted, withInstallation, type InstallationSize } from './with-installation.ts';

/** Runs servers, services and sandbox until Ctrl-C, without a campaign. */
export async function runUp(size: InstallationSize, context: CommandContext): Promise<ExitCode> {
  const { terminal, signal } = context;
  const paint = createPaint(terminal.colours.notes);
  return await withInstallation('Muster', size, context, async (installation) => {
    terminal.note(`\n${await whereTheConsoleIs(installation, paint)}${howToTry(installation, paint)}`);
    return await whenAborted(signal);
  });
}
