import { existsSync, readFileSync } from 'node:fs';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { within } from '../../shared/runtime/within.ts';

/** A process that a stop takes too long for ends itself after 25 s. */
const endsWithinMs = 50_000;

/** @throws an error with the last lines of its log if SIGTERM does not end the process */
export async function endOrKill(name: string, service: ServiceProcess): Promise<void> {
  try {
    await within(endsWithinMs, service.end('SIGTERM'));
  } catch (error) {
    await service.end('SIGKILL');
    throw new Error(`${name} after SIGTERM\n${lastLines(name, service.logFile)}`, { cause: error });
  }
}

const shownLines = 30;

/** Returns the last lines of the log of a process. */
export function lastLines(name: string, logFile: string): string {
  const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd().split('\n') : ['(no log)'];
  return [`--- ${name}`, ...lines.slice(-shownLines)].join('\n');
}
