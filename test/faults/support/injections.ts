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
  /** @returns a function that ends the fault */
  begin(fault: string, target: string): () => void;
  /** A fault without a duration, such as a kill. */
  happened(fault: string, target: string): void;
  /** Returns the faults since the last call, which are those of one scenario. */
  takeNew(): readonly Injection[];
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
    begin,
    happened: (fault, target) => begin(fault, target)(),
    takeNew: () => all.splice(0),
  };
}

/** Counts the faults by type. */
export function countOf(injections: readonly Injection[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { fault } of injections) counts[fault] = (counts[fault] ?? 0) + 1;
  return counts;
}
