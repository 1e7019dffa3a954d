/** Problems of the environment or of a file that it names. The message has a line for each problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  /** @param problems one line each: the variable or field, its value unless it is secret, and the expected form */
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const lines = typeof problems === 'string' ? [problems] : problems;
    super(lines.join('\n'), options);
    this.problems = lines;
  }
}

/** Runs several readers and reports all of their problems together. */
export interface Problems {
  /** Returns the reader's value, or undefined if it threw a `ConfigurationError`, whose problems are collected. */
  of<Value>(read: () => Value): { value: Value } | undefined;
  add(problem: string): void;
  readonly found: boolean;
  toError(): ConfigurationError;
}

export function createProblems(): Problems {
  const lines = new Set<string>();
  return {
    of: (read) => {
      try {
        return { value: read() };
      } catch (error) {
        if (!(error instanceof ConfigurationError)) throw error;
        for (const problem of error.problems) lines.add(problem);
        return undefined;
      }
    },
    add: (problem) => void lines.add(problem),
    get found() {
      return lines.size > 0;
    },
    toError: () => new ConfigurationError([...lines]),
  };
}
