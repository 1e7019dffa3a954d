import { lastLines } from '../../shared/infrastructure/await-ready.ts';
import type { ServiceProcess } from '../../shared/infrastructure/service-process.ts';
import { within } from '../../shared/runtime/within.ts';

/** A process whose stop takes too long ends itself after 25 s. */
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
