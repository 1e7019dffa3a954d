/** One fault, from its beginning to its end, in milliseconds of the epoch. */
export interface Injection {
  fault: string;
  target: string;
  fromMs: number;
  /** Undefined while it lasts. */
  untilMs: number | undefined;
}

/** The harness's own record of what it broke, and when. */
export interface Injections {
  readonly all: readonly Injection[];
  /** @returns what ends it */
  begin(fault: string, target: string): () => void;
  /** A fault without a duration, such as a kill. */
  happened(fault: string, target: string): void;
  count(): Record<string, number>;
}

export function createInjections(): Injections {
  const all: Injection[] = [];

  function begin(fault: string, target: string): () => void {
    const injection: Injection = { fault, target, fromMs: Date.now(), untilMs: undefined };
    all.push(injection);
    return () => {
      injection.untilMs ??= Date.now();
    };
  }

  return {
    all,
    begin,
    happened: (fault, target) => begin(fault, target)(),
    count: () => {
      const counts: Record<string, number> = {};
      for (const { fault } of all) counts[fault] = (counts[fault] ?? 0) + 1;
      return counts;
    },
  };
}
