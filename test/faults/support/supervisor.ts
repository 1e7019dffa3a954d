import type { ServiceProcess } from '../../../shared/infrastructure/service-process.ts';
import { lastLines } from '../../../shared/infrastructure/await-ready.ts';
import type { Installation } from '../../e2e/installation.ts';

export interface Supervisor {
  start(name: string): Promise<void>;
  /** Ends a process because the test wants it; this end does not count. */
  end(name: string, signal: 'SIGTERM' | 'SIGKILL'): Promise<void>;
  /** I7: returns the processes that ended by themselves, if there are more than allowed. */
  report(allowed: number): string[];
  /** Stops supervision: no process is started any more. */
  rest(): void;
}

/** Restarts processes that ended by themselves, as in production, and records these ends. */
export function createSupervisor(muster: Installation): Supervisor {
  const unasked: string[] = [];
  const requested = new WeakSet<ServiceProcess>();
  let isResting = false;

  function watch(name: string): void {
    const service = muster.services.get(name);
    if (!service) return;
    void service.exited.then(async (how) => {
      if (isResting || requested.has(service)) return;
      unasked.push(`${name} (${how})\n${lastLines(name, service.logFile)}\n`);
      await start(name).catch(() => undefined);
    });
  }

  async function start(name: string): Promise<void> {
    await muster.restart(name);
    watch(name);
  }

  for (const name of muster.services.keys()) watch(name);
  return {
    start,
    end: async (name, signal) => {
      const service = muster.services.get(name);
      if (!service) throw new Error(`there is no ${name}`);
      requested.add(service);
      await service.end(signal);
    },
    report: (allowed) => (unasked.length > allowed ? [`I7: processes ended by themselves: ${unasked.join(', ')}`] : []),
    rest: () => {
      isResting = true;
    },
  };
}
