import type { Clock } from '../../../shared/ports/clock.ts';

const pollMs = 50;
/** Interval between reports in milliseconds. Most machines start everything sooner, so usually there is no report. */
const reportEveryMs = 5000;

export interface AwaitedService {
  name: string;
  /** Returns the reason why the service is not ready, or undefined if it is ready. Throws if the service has ended. */
  probe: () => Promise<string | undefined>;
}

/** Resolves when all services are ready, without a timeout. Reports waiting services and their reasons every 5 s. */
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

  async function untilReady({ name, probe }: AwaitedService): Promise<void> {
    for (let reason = await probe(); reason !== undefined; reason = await probe()) {
      reasons.set(name, reason);
      reportIfLong();
      await clock.sleep(pollMs);
    }
    reasons.delete(name);
  }

  await Promise.all(services.map(untilReady));
}
