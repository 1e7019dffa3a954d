import { readFile } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';
import { ConfigurationError } from '../runtime/configuration/configuration-error.ts';
import type { GuardedProcess } from './guarded-processes.ts';

const pollMs = 40;

/** Waits until the check succeeds. Throws one line with the log's cause if the server ends or the deadline passes. */
export async function waitUntilReady(options: {
  server: string;
  process: GuardedProcess;
  logFile: string;
  isReady: () => Promise<boolean>;
  deadlineMs: number;
}): Promise<void> {
  const { server, process, logFile, isReady, deadlineMs } = options;
  let ended: string | undefined;
  void process.exited.then(({ how }) => (ended = how));
  const deadline = performance.now() + deadlineMs;
  while (!(await isReady())) {
    if (ended !== undefined) {
      throw new ConfigurationError(`${server} did not start (${ended}): ${await failureLineOf(logFile)}`);
    }
    if (performance.now() > deadline) {
      throw new ConfigurationError(`${server} was not ready after ${deadlineMs} ms: ${await failureLineOf(logFile)}`);
    }
    await wait(pollMs);
  }
}

/** Returns the most informative line of a server's log about its end. */
export async function failureLineOf(logFile: string): Promise<string> {
  const lines = stripVTControlCharacters(await readLog(logFile))
    .split('\n')
    .filter((line) => line.trim() !== '');
  const cause = ['already in use', 'FATAL', 'ERROR', 'error', 'Exception'];
  for (const sign of cause) {
    const line = lines.find((candidate) => candidate.includes(sign));
    if (line !== undefined) return line.trim();
  }
  return lines.at(-1)?.trim() ?? 'it wrote nothing';
}

/** Returns true if PostgreSQL's last start failed because sessions of its predecessor had not ended yet. */
export function isMemoryHeld(log: string): boolean {
  const last = log.split('\n').findLast((line) => line.includes('FATAL'));
  return last?.includes('pre-existing shared memory block') ?? false;
}

export async function readLog(logFile: string): Promise<string> {
  return readFile(logFile, 'utf8').catch(() => '');
}
