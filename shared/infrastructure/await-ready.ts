import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { z } from 'zod';
import type { ServiceProcess } from './service-process.ts';

const pollMs = 50;
const answerWithinMs = 10_000;

export interface StartedService {
  name: string;
  process: Pick<ServiceProcess, 'running' | 'logFile'>;
  /** URL that answers 2xx when the service is ready. */
  readyUrl: string;
}

/**
 * Resolves when the service is ready.
 *
 * @param withinMs time after which the wait ends
 * @throws an error with the reason and the last lines of the log if the process ends or is not ready in time
 */
export async function awaitReady({ name, process, readyUrl }: StartedService, withinMs: number): Promise<void> {
  const giveUpAt = performance.now() + withinMs;
  for (;;) {
    const reason = await reasonNotReady(readyUrl);
    if (reason === undefined) return;
    const failure = failureOf(process, performance.now() > giveUpAt, withinMs);
    if (failure) throw new Error(`${name} ${failure}: ${reason}\n${lastLines(name, process.logFile)}`);
    await wait(pollMs);
  }
}

function failureOf({ running }: StartedService['process'], isLate: boolean, withinMs: number): string | undefined {
  if (!running) return 'ended before it was ready';
  return isLate ? `was not ready within ${withinMs} ms` : undefined;
}

const readiness = z.object({ parts: z.record(z.string(), z.string()) });

/** Returns the reason in the service's `/readyz` answer, or undefined if the service is ready. */
export async function reasonNotReady(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(answerWithinMs) });
    if (response.ok) return undefined;
    const read = readiness.safeParse(await response.json());
    const parts = Object.entries(read.data?.parts ?? {}).filter(([, state]) => state !== 'ok');
    return parts.length === 0 ? 'not ready' : parts.map(([part, state]) => `${part}: ${state}`).join('; ');
  } catch {
    return 'no answer yet';
  }
}

const maxLogLines = 30;

/** Returns the last lines of the log of a process, below a line with its name. */
export function lastLines(name: string, logFile: string): string {
  const lines = existsSync(logFile) ? readFileSync(logFile, 'utf8').trimEnd().split('\n') : ['(no log)'];
  return [`--- ${name}`, ...lines.slice(-maxLogLines)].join('\n');
}
