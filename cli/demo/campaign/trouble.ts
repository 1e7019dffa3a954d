import type { Clock } from '../../../shared/ports/clock.ts';
import { createHavoc } from './chaos.ts';
import { demoCountries } from '../installation/demo-settings.ts';
import { createIncident } from './incident.ts';
import type { Companion } from './show-campaign.ts';

export interface TroubleDeps {
  sandboxUrl: string;
  victims: readonly string[];
  kill: (name: string) => void;
  areReady: () => Promise<boolean>;
  clock: Clock;
  say: (line: string) => void;
}

/** Starts the demo's faults: a failing endpoint of one country and, on request, killed workers. */
export function startTrouble({ sandboxUrl, victims, kill, areReady, clock, say }: TroubleDeps): Companion {
  const incident = createIncident(demoCountries.at(-1) ?? '');
  const havoc = createHavoc({ clock, names: victims, kill, areReady });
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
      havoc.onProgress(progress);
      const step = incident.update(progress, clock.monotonicMs());
      if (!step) return;
      say(step.say);
      if (step.faults) switchFaults(step.faults);
    },
    end: async () => {
      // The run may end while the faults are switched on, so they are switched off here.
      if (hasFaults) switchFaults({});
      await Promise.all([havoc.end(), applied]);
    },
  };
}
