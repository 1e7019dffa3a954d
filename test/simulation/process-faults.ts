import type { Clock } from '../../shared/ports/clock.ts';

/**
 * What can happen to a process at a port call. All that a process does and learns passes through its ports, so a fault there is what a
 * fault looks like from inside.
 *
 * - `die-before`, `die-after`: killed right before the call has its effect, or right after. It gets no answer any more.
 * - `throw-before`: the call had no effect, and says that it failed.
 * - `throw-after`: the call took effect, and says that it failed (an unknown commit, a lost acknowledgement).
 * - `freeze-before`, `freeze-after`: stopped as by SIGSTOP, with the call on its way out or its answer on the way in, until thawed.
 */
export type Fate =
  'pass' | 'die-before' | 'die-after' | 'throw-before' | 'throw-after' | 'freeze-before' | 'freeze-after';

export interface PortCall {
  /** How many port calls the process has made, this one included. */
  number: number;
  method: string;
}

export interface ProcessFaultsOptions {
  /** Asked at every call of a port that answers with a promise; others always pass, for they cannot fail in a process that lives. */
  fateOf: (call: PortCall) => Fate;
  onDeath: () => void;
  onFreeze: () => void;
}

/** A process whose port calls can be killed, broken and frozen. */
export interface ProcessFaults {
  /** The port, with a fate at each call. */
  wrap<Port extends object>(port: Port): Port;
  /** The clock as the process sees it: whoever sleeps in a frozen process does not wake. */
  wrapClock(clock: Clock): Clock;
  /** Port calls made so far. */
  calls(): number;
  readonly dead: boolean;
  readonly frozen: boolean;
  /** Kills it now, without a call. */
  kill(): void;
  /** Everything that was held back goes on, in its order. */
  thaw(): void;
}

/** What a port said that failed by a fault. */
export class InjectedFault extends Error {
  override readonly name = 'InjectedFault';
}

const never = new Promise<never>(() => undefined);

export function createProcessFaults({ fateOf, onDeath, onFreeze }: ProcessFaultsOptions): ProcessFaults {
  let calls = 0;
  let dead = false;
  let ice: PromiseWithResolvers<null> | undefined;

  function kill(): void {
    if (dead) return;
    dead = true;
    onDeath();
  }

  function freeze(): void {
    if (ice || dead) return;
    ice = Promise.withResolvers<null>();
    onFreeze();
  }

  /** Goes on when the process is not frozen, and never when it is dead. */
  async function alive(): Promise<void> {
    while (ice) await ice.promise;
    if (dead) await never;
  }

  async function around(method: string, call: () => unknown): Promise<unknown> {
    await alive();
    const fate = fateOf({ number: ++calls, method });
    if (fate === 'die-before') kill();
    if (fate === 'freeze-before') freeze();
    if (fate === 'throw-before') throw new InjectedFault(`${method} had no effect`);
    await alive();
    const settled = await settle(call);
    if (fate === 'die-after') kill();
    if (fate === 'freeze-after') freeze();
    await alive();
    if (fate === 'throw-after') throw new InjectedFault(`${method} took effect, and its answer was lost`);
    if (settled.status === 'rejected') throw settled.reason;
    return settled.value;
  }

  function wrapped(target: object, name: string, member: (...args: unknown[]) => unknown) {
    return (...args: unknown[]): unknown => {
      if (dead) return never;
      return isAsynchronous(name)
        ? around(name, () => Reflect.apply(member, target, args))
        : Reflect.apply(member, target, args);
    };
  }

  return {
    wrap: (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function' || typeof name !== 'string') return member;
          return wrapped(target, name, (...args) => Reflect.apply(member, target, args));
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
    calls: () => calls,
    get dead() {
      return dead;
    },
    get frozen() {
      return ice !== undefined;
    },
    kill,
    thaw: () => {
      const thawed = ice;
      ice = undefined;
      thawed?.resolve(null);
    },
  };
}

/** Port methods that answer at once: they hand something over within the process. */
const synchronous = new Set(['settle', 'stopIntake', 'ready', 'stats', 'held', 'subscribe']);

function isAsynchronous(name: string): boolean {
  return !synchronous.has(name);
}

async function settle(call: () => unknown): Promise<PromiseSettledResult<unknown>> {
  const [settled] = await Promise.allSettled([(async () => call())()]);
  if (!settled) throw new Error('a call has neither an answer nor an error');
  return settled;
}
