/**
 * A place at which a process is struck.
 * - `commit`: its credits are being committed, and are in effect.
 * - `request`: the API has served a user, and has not answered.
 * - `mail`: the mail server has taken a mail, and has not answered.
 */
export type Place = 'commit' | 'request' | 'mail';

export interface Strike {
  place: Place;
  how: 'killed' | 'frozen';
  /** Credits in commits, requests or mails that pass before it. */
  after: number;
  /**
   * Number of the process whose commit is struck. At other places, the process that reaches the place first is struck.
   */
  instance: number;
}

export interface Struck {
  instance: number;
  /** The user whose request or mail was struck. Undefined in a commit. */
  user: string | undefined;
}

/** Strikes the first process that reaches a place. */
export interface Trap {
  /** Reports that a process has reached a place. */
  passed(place: Place, struck: Struck): void;
  /** Waits for a process at the place, and resolves when it was struck. */
  spring(strike: Strike): Promise<Struck>;
}

export function createTrap(signal: (instance: number, name: 'SIGKILL' | 'SIGSTOP') => void): Trap {
  let armed: (Strike & { sprung: (struck: Struck) => void }) | undefined;
  return {
    passed: (place, struck) => {
      if (armed?.place !== place || armed.after-- > 0) return;
      const { how, sprung } = armed;
      armed = undefined;
      signal(struck.instance, how === 'killed' ? 'SIGKILL' : 'SIGSTOP');
      sprung(struck);
    },
    spring: (strike) =>
      new Promise((sprung) => {
        armed = { ...strike, sprung };
      }),
  };
}
