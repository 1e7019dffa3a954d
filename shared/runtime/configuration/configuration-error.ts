/** What the environment or a file that it names says is wrong. Its message has a line for each problem. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  readonly problems: readonly string[];

  /**
   * @param problems one line each, which names the variable or the field, its value unless that is secret, and what
   * would be right
   */
  constructor(problems: string | readonly string[], options?: ErrorOptions) {
    const lines = typeof problems === 'string' ? [problems] : problems;
    super(lines.join('\n'), options);
    this.problems = lines;
  }
}

/** Runs several readers and tells the problems of all of them at once. */
export interface Problems {
  /** What the reader read, or `undefined` when it threw a `ConfigurationError`, whose problems are kept. */
  of<Value>(read: () => Value): { value: Value } | undefined;
  add(problem: string): void;
  readonly found: boolean;
  /** All problems so far, each once. */
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
