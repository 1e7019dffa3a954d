import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** The text that an expression returns, with its parameters. */
export interface Evaluated {
  text: string;
  /** Names of the parameters in order, if they have names. */
  names?: readonly string[];
}

const exported = z.object({ __statements: z.array(z.function({ output: z.unknown() })) });
const withNames = z.function({ input: [z.unknown()], output: z.object({ values: z.array(z.string()) }) });
const statement = z.union([
  z.string().transform((text): Evaluated => ({ text })),
  z
    .object({ text: z.string(), with: withNames })
    .transform((found): Evaluated => ({ text: found.text, names: found.with(eachNamedAsItself).values })),
  z.object({ text: z.string() }),
]);
const eachNamedAsItself: unknown = new Proxy({}, { get: (_, name) => name });

/**
 * Returns the statements that expressions over a module's own names produce. The module is loaded again with the
 * expressions at its end, so the production code itself composes the statements.
 */
export async function evaluate(file: string, expressions: readonly string[]): Promise<Evaluated[]> {
  const url = `${pathToFileURL(file).href}?statements`;
  const addition = `\nexport const __statements = [${expressions.map((each) => `() => (${each})`).join(', ')}];`;
  const hooks = registerHooks({
    load: (requested, context, next) => {
      const loaded = next(requested, context);
      if (requested !== url) return loaded;
      const { source = '' } = loaded;
      const code = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: `${code}${addition}` };
    },
  });
  try {
    const { __statements } = exported.parse(await import(url));
    return __statements.map((evaluated) => statement.parse(evaluated()));
  } finally {
    hooks.deregister();
  }
}
