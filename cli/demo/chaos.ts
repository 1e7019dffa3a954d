import type { Clock } from '../../shared/ports/clock.ts';

export interface ChaosDeps {
  clock: Clock;
  /** The processes to kill, each in its turn. */
  names: readonly string[];
  kill: (name: string) => void;
  /** Ends it. */
  signal: AbortSignal;
}

/** Long enough that what was killed is back before the next one goes. */
const killEveryMs = 5000;

/** Kills a process every few seconds until it is ended. */
export async function wreakHavoc({ clock, names, kill, signal }: ChaosDeps): Promise<void> {
  for (let kills = 0; ; kills++) {
    await clock.sleep(killEveryMs, signal);
    const name = names[kills % names.length];
    if (signal.aborted || name === undefined) return;
    kill(name);
  }
}
