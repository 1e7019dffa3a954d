import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandContext } from '../frame/command-context.ts';
import { exitCodes, type ExitCode } from '../frame/exit-codes.ts';
import { whenAborted } from '../frame/when-aborted.ts';
import { startInbox } from './inbox.ts';

/** Runs the inbox until Ctrl-C, then deletes its mails. */
export async function runInbox(
  ports: { smtp: number; page: number },
  { terminal, signal }: CommandContext,
): Promise<ExitCode> {
  const folder = await mkdtemp(join(tmpdir(), 'muster-inbox-'));
  try {
    const inbox = await startInbox(folder, ports);
    terminal.note(`mail server  ${inbox.smtpUrl}\ninbox        ${inbox.pageUrl}\nserving until Ctrl-C\n`);
    await whenAborted(signal);
    await inbox.close();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return exitCodes.ok;
}
