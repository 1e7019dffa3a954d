/**
 * Crashes at port calls. Every port of a simulated process is wrapped; each call of any of them is a point in time right before and right
 * after which the process can die. A dead process gets no answer any more and has no effect: that is what SIGKILL looks like from inside.
 */
export type Moment = 'before' | 'after';

export interface CrashPlan {
  /** The process dies at its n-th port call, from 1. */
  atCall: number;
  moment: Moment;
}

export interface CrashPoints {
  /** The port, with a crash point around each call. */
  wrap<Port extends object>(port: Port): Port;
  /** Port calls made so far by this process. */
  calls(): number;
  readonly dead: boolean;
  /** Kills it now, without a call. */
  kill(): void;
}

const never = new Promise<never>(() => undefined);

export function createCrashPoints(plan: CrashPlan | null, onDeath: () => void): CrashPoints {
  let calls = 0;
  let dead = false;

  function kill(): void {
    if (dead) return;
    dead = true;
    onDeath();
  }

  function around(method: (...args: unknown[]) => unknown, args: unknown[]): unknown {
    if (dead) return never;
    const call = ++calls;
    if (plan?.atCall === call && plan.moment === 'before') {
      kill();
      return never;
    }
    const result = method(...args);
    const dieAfter = plan?.atCall === call && plan.moment === 'after';
    if (!(result instanceof Promise)) {
      if (dieAfter) kill();
      return result;
    }
    return result.then(
      (value: unknown) => {
        if (dieAfter) kill();
        return dead ? never : value;
      },
      (error: unknown) => {
        if (dead) return never;
        throw error;
      },
    );
  }

  return {
    wrap: (port) =>
      new Proxy(port, {
        get: (target, name) => {
          const member: unknown = Reflect.get(target, name);
          if (typeof member !== 'function') return member;
          return (...args: unknown[]) => around((...given) => Reflect.apply(member, target, given), args);
        },
      }),
    calls: () => calls,
    get dead() {
      return dead;
    },
    kill,
  };
}
