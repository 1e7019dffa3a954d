import type { ControlVerb } from '../../shared/domain/run/run-control.ts';
import type { createControls } from './controls.ts';
import { createProcessFaults, type Fate, type PortCall, type ProcessFaults } from './process-faults.ts';
import { startProcess, type Membership, type ProcessName, type Surroundings } from './processes.ts';

/** A consumer that is silent for this long is expelled from its group. */
const sessionMs = 3000;
const restartMs = 500;
/** Time until a consumer learns after a freeze that it was expelled. */
const rejoinMs = 300;
/** A run that was paused at a port call continues after this time. */
const pausedForMs = 6000;

interface Faults {
  controlAt?: (process: { name: ProcessName; nth: number }, call: PortCall) => ControlVerb | null;
  fateOf: (process: { name: ProcessName; nth: number }, call: PortCall) => Fate;
  frozenMs: () => number;
}

/** Restarts dead processes, and expels and continues frozen ones. */
export function createSupervisor(
  scenario: Faults,
  surroundings: Surroundings,
  isFaulty: () => boolean,
  controls: ReturnType<typeof createControls>,
) {
  const { clock } = surroundings.database;
  const started = new Map<ProcessName, ProcessFaults[]>();
  let faulted = 0;
  let isOver = false;

  function start(name: ProcessName): void {
    if (isOver) return;
    const siblings = started.get(name) ?? [];
    const nth = siblings.length + 1;
    const fateOf = (call: PortCall): Fate => {
      const verb = scenario.controlAt?.({ name, nth }, call);
      if (verb) controls.ask(verb, pausedForMs);
      const wanted = isFaulty() ? scenario.fateOf({ name, nth }, call) : 'pass';
      const fate = wanted.startsWith('throw') && !call.mayThrow ? 'pass' : wanted;
      if (fate !== 'pass') faulted++;
      return fate;
    };
    const faults = createProcessFaults({
      fateOf,
      onDeath: () => {
        void clock.sleep(sessionMs).then(() => member?.expel());
        void clock.sleep(restartMs).then(() => {
          start(name);
        });
      },
      onFreeze: () => void freeze(faults, () => member),
    });
    started.set(name, [...siblings, faults]);
    const member = startProcess(name, `${name}-${nth}`, faults, surroundings);
  }

  async function freeze(faults: ProcessFaults, member: () => Membership | null): Promise<void> {
    const frozenMs = scenario.frozenMs();
    await clock.sleep(Math.min(sessionMs, frozenMs));
    if (frozenMs > sessionMs) {
      member()?.expel();
      await clock.sleep(frozenMs - sessionMs);
    }
    faults.thaw();
    await clock.sleep(rejoinMs);
    if (!faults.dead) member()?.rejoin();
  }

  const all = () => [...started.values()].flat();
  const callsOf = (name: ProcessName) => started.get(name)?.[0]?.calls() ?? 0;
  return {
    start,
    frozen: () => all().filter(({ frozen }) => frozen).length,
    faults: () => faulted,
    calls: () => ({ scheduler: callsOf('scheduler'), trigger: callsOf('trigger'), worker: callsOf('worker') }),
    killAll: () => {
      isOver = true;
      for (const faults of all()) faults.kill();
    },
  };
}
