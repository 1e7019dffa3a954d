import type { Clock } from '../../../shared/ports/clock.ts';
import type { Companion } from './show-campaign.ts';

export interface ChaosDeps {
  clock: Clock;
  names: readonly string[];
  kill: (name: string) => void;
  /** Returns true if all processes of the installation are ready. */
  areReady: () => Promise<boolean>;
  signal: AbortSignal;
}

/** Milliseconds between two kills at least. */
const killEveryMs = 5000;

/**
 * Kills one process after the other. A killed process must be ready again before the next kill: on a slow machine, all
 * workers would otherwise be starting all the time.
 */
export async function wreakHavoc({ clock, names, kill, areReady, signal }: ChaosDeps): Promise<void> {
  for (let kills = 0; ;) {
    await clock.sleep(killEveryMs, signal);
    if (!signal.aborted && !(await areReady())) continue;
    const name = names[kills % names.length];
    if (signal.aborted || name === undefined) return;
    kill(name);
    kills++;
  }
}

/** Kills the named processes from the first progress of a run to its end. */
export function createHavoc(deps: Omit<ChaosDeps, 'signal'>): Companion {
  const ending = new AbortController();
  let havoc: Promise<void> | undefined;
  return {
    onProgress: () => {
      if (deps.names.length > 0) havoc ??= wreakHavoc({ ...deps, signal: ending.signal });
    },
    end: async () => {
      ending.abort();
      await havoc;
    },
  };
}
