import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

/** Result of an expression. */
export interface Evaluated {
  text: string;
  /** The names of its parameters, in their order, where they have names. */
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
 * The statements that expressions over a module's own names give: the module is loaded once more, with the expressions at
 * its end. So whatever a statement is spliced together from is spliced by the code that does it in production.
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
