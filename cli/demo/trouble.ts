import type { Clock } from '../../shared/ports/clock.ts';
import { wreakHavoc } from './chaos.ts';
import { demoCountries } from './demo-settings.ts';
import { createIncident } from './incident.ts';
import type { Companion } from './show-campaign.ts';

export interface TroubleDeps {
  sandboxUrl: string;
  victims: readonly string[];
  kill: (name: string) => void;
  clock: Clock;
  say: (line: string) => void;
}

/** Starts the demo's faults: a failing endpoint of one country and, on request, killed workers. */
export function startTrouble({ sandboxUrl, victims, kill, clock, say }: TroubleDeps): Companion {
  const incident = createIncident(demoCountries.at(-1) ?? '');
  const ending = new AbortController();
  let havoc: Promise<void> | undefined;
  let applied: Promise<void> = Promise.resolve();
  let hasFaults = false;

  async function tellSandbox(faults: object): Promise<void> {
    const answer = await fetch(`${sandboxUrl}/control`, { method: 'POST', body: JSON.stringify(faults) });
    if (!answer.ok) throw new Error(`the sandbox refused its faults: ${await answer.text()}`);
  }

  function switchFaults(faults: object): void {
    hasFaults = Object.keys(faults).length > 0;
    applied = applied.then(() => tellSandbox(faults)).catch((error: unknown) => say(String(error)));
  }

  return {
    onProgress: (progress) => {
      if (victims.length > 0) havoc ??= wreakHavoc({ clock, names: victims, kill, signal: ending.signal });
      const step = incident.look(progress, clock.monotonicMs());
      if (!step) return;
      say(step.say);
      if (step.faults) switchFaults(step.faults);
    },
    end: async () => {
      ending.abort();
      // A run may end during the incident.
      if (hasFaults) switchFaults({});
      await Promise.all([havoc, applied]);
    },
  };
}
