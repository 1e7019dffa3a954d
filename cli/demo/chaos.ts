import type { Clock } from '../../shared/ports/clock.ts';

export interface ChaosDeps {
  clock: Clock;
  names: readonly string[];
  kill: (name: string) => void;
  signal: AbortSignal;
}

/** Long enough for a killed process to restart before the next kill. */
const killEveryMs = 5000;

export async function wreakHavoc({ clock, names, kill, signal }: ChaosDeps): Promise<void> {
  for (let kills = 0; ; kills++) {
    await clock.sleep(killEveryMs, signal);
    const name = names[kills % names.length];
    if (signal.aborted || name === undefined) return;
    kill(name);
  }
}
