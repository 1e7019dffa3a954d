import type { Clock } from '../../shared/ports/clock.ts';

/**
 * Faults that can happen to a process at a port call. All actions and observations of a process pass through its ports,
 * so a fault at a port is what a fault looks like from inside.
 * - `die-before`, `die-after`: killed right before the call has its effect, or right after. It gets no further answers.
 * - `throw-before`: the call had no effect, and reports a failure.
 * - `throw-after`: the call took effect, and reports a failure (an unknown commit, a lost acknowledgement).
 * - `freeze-before`, `freeze-after`: stopped as by SIGSTOP, with the call on its way out or its answer on the way in,
 *   until thawed.
 */
export const faultyFates = [
  'die-before',
  'die-after',
  'throw-before',
  'throw-after',
  'freeze-before',
  'freeze-after',
] as const;

/** Slow calls: `onSlow` decides how long. The call takes effect late, or its answer arrives late. */
export const slowFates = ['slow-before', 'slow-after'] as const;

export type Fate = 'pass' | (typeof faultyFates)[number] | (typeof slowFates)[number];

export interface PortCall {
  /** Number of port calls of the process, this one included. */
  number: number;
  method: string;
  /** False if the port never throws: some ports return failures instead. */
  mayThrow: boolean;
}

export interface ProcessFaultsOptions {
  /**
   * Returns the fate of a call. Asked only for ports that return a promise; other calls cannot fail while the process
   * lives.
   */
  fateOf: (call: PortCall) => Fate;
  onDeath: () => void;
  onFreeze: () => void;
  /** Resolves when a slow call goes on. */
  onSlow?: (call: PortCall) => Promise<void>;
}

/** Returns the failure of a port; null for a port that never fails. */
export type FaultOf = ((what: string, args: readonly unknown[]) => Error) | null;

/** A process whose port calls can be killed, broken and frozen. */
export interface ProcessFaults {
  /** The port, with a fate at each call. */
  wrap<Port extends object>(port: Port, faultOf?: FaultOf): Port;
  /** Returns the clock of the process. Nothing that sleeps in a frozen process wakes up. */
  wrapClock(clock: Clock): Clock;
  /** Runs an action in the process: at once, after the freeze, or never if the process is dead. */
  whenAlive(action: () => void): void;
  /** Port calls made so far. */
  calls(): number;
  readonly dead: boolean;
  readonly frozen: boolean;
  /** True if the process died or was ever frozen, so that its work in flight is in doubt. */
  readonly wasHurt: boolean;
  /** Kills the process now, between port calls. */
  kill(): void;
  /** Ends the freeze. All held calls continue in their order. */
  thaw(): void;
}

const never = new Promise<never>(() => undefined);
const plainFault: FaultOf = (what) => new Error(`injected: ${what}`);

export function createProcessFaults(options: ProcessFaultsOptions): ProcessFaults {
  const { fateOf, onDeath, onFreeze, onSlow = () => Promise.resolve() } = options;
  let calls = 0;
  let dead = false;
  let wasHurt = false;
  let ice: PromiseWithResolvers<null> | undefined;

  function kill(): void {
    if (dead) return;
    dead = wasHurt = true;
    onDeath();
  }

  function freeze(): void {
    if (ice || dead) return;
    wasHurt = true;
    ice = Promise.withResolvers<null>();
    onFreeze();
  }

  /** Resolves when the process is not frozen, and never if it is dead. */
  async function alive(): Promise<void> {
    while (ice) await ice.promise;
    if (dead) await never;
  }

  async function around(method: string, args: readonly unknown[], call: () => unknown, faultOf: FaultOf) {
    if (ice ?? dead) await alive();
    const portCall = { number: ++calls, method, mayThrow: faultOf !== null };
    const fate = fateOf(portCall);
    if (fate === 'pass') {
      const settled = await settle(call);
      if (ice ?? dead) await alive();
      return answerOf(settled);
    }
    if (fate === 'die-before') kill();
    if (fate === 'freeze-before') freeze();
    if (fate === 'throw-before' && faultOf) throw faultOf(`${method} had no effect`, args);
    if (fate === 'slow-before') await onSlow(portCall);
    await alive();
    const settled = await settle(call);
    if (fate === 'slow-after') await onSlow(portCall);
    if (fate === 'die-after') kill();
    if (fate === 'freeze-after') freeze();
    await alive();
    if (fate === 'throw-after' && faultOf) throw faultOf(`${method} took effect, and its answer was lost`, args);
    return answerOf(settled);
  }

  return {
    wrap: (port, faultOf = plainFault) =>
      new Proxy(port, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function' || typeof name !== 'string') return member;
          return (...args: unknown[]): unknown => {
            if (dead) return never;
            const call = (): unknown => Reflect.apply(member, target, args);
            return synchronous.has(name) ? call() : around(name, args, call, faultOf);
          };
        },
      }),
    wrapClock: (clock) => ({
      now: () => clock.now(),
      monotonicMs: () => clock.monotonicMs(),
      sleep: async (ms, signal) => {
        await clock.sleep(ms, signal);
        if (ice ?? dead) await alive();
      },
    }),
    whenAlive: (action) => {
      if (ice) void alive().then(action);
      else if (!dead) action();
    },
    calls: () => calls,
    get dead() {
      return dead;
    },
    get frozen() {
      return ice !== undefined && !dead;
    },
    get wasHurt() {
      return wasHurt;
    },
    kill,
    thaw: () => {
      const thawed = ice;
      ice = undefined;
      thawed?.resolve(null);
    },
  };
}

/** Port methods without a promise: they pass something on within the process. */
const synchronous = new Set(['settle', 'stopIntake', 'ready', 'stats']);

async function settle(call: () => unknown): Promise<PromiseSettledResult<unknown>> {
  try {
    return { status: 'fulfilled', value: await call() };
  } catch (error) {
    return { status: 'rejected', reason: error };
  }
}

function answerOf(settled: PromiseSettledResult<unknown>): unknown {
  if (settled.status === 'rejected') throw settled.reason;
  return settled.value;
}
