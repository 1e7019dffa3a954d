import { z } from 'zod';
import type { Clock } from '../../shared/ports/clock.ts';

const pollMs = 50;
/** Shown only if it takes longer than on most machines. */
const reportEveryMs = 5000;

export interface AwaitedService {
  name: string;
  /** Returns what the service waits for, or undefined if it is ready. Throws if it has ended. */
  look: () => Promise<string | undefined>;
}

/** Resolves when all services are ready, however long that takes. Every 5 s it reports which are not, and why. */
export async function awaitServices(
  services: readonly AwaitedService[],
  { clock, report }: { clock: Clock; report: (line: string) => void },
): Promise<void> {
  const beganMs = clock.monotonicMs();
  let reportedMs = beganMs;
  const reasons = new Map<string, string>();

  function reportIfLong(): void {
    const nowMs = clock.monotonicMs();
    if (reasons.size === 0 || nowMs - reportedMs < reportEveryMs) return;
    reportedMs = nowMs;
    const waiting = [...reasons].map(([name, reason]) => `${name} (${reason})`).join(', ');
    report(`waits for ${waiting}, for ${Math.round((nowMs - beganMs) / 1000)} s`);
  }

  async function untilReady({ name, look }: AwaitedService): Promise<void> {
    for (let reason = await look(); reason !== undefined; reason = await look()) {
      reasons.set(name, reason);
      reportIfLong();
      await clock.sleep(pollMs);
    }
    reasons.delete(name);
  }

  await Promise.all(services.map(untilReady));
}

const readiness = z.object({ parts: z.record(z.string(), z.string()) });

/** Returns what a service says in `/readyz` that it waits for, or undefined if it is ready. */
export async function reasonNotReady(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(2000) });
    if (response.ok) return undefined;
    const read = readiness.safeParse(await response.json());
    const parts = Object.entries(read.data?.parts ?? {}).filter(([, state]) => state !== 'ok');
    return parts.length === 0 ? 'not ready' : parts.map(([part, state]) => `${part}: ${state}`).join('; ');
  } catch {
    return 'no answer yet';
  }
}
