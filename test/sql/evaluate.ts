import { registerHooks } from 'node:module';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';

const exported = z.object({ __statements: z.array(z.function({ output: z.unknown() })) });
const texts = z.union([z.string(), z.object({ text: z.string() }).transform(({ text }) => text)]);

/**
 * The texts that expressions over a module's own names give: the module is loaded once more, with the expressions at
 * its end. So whatever a statement is spliced together from is spliced by the code that does it in production.
 */
export async function evaluate(file: string, expressions: readonly string[]): Promise<string[]> {
  const url = `${pathToFileURL(file).href}?statements`;
  const addition = `\nexport const __statements = [${expressions.map((each) => `() => (${each})`).join(', ')}];`;
  const hooks = registerHooks({
    load: (asked, context, next) => {
      const loaded = next(asked, context);
      if (asked !== url) return loaded;
      const { source = '' } = loaded;
      const code = typeof source === 'string' ? source : new TextDecoder().decode(source);
      return { ...loaded, source: `${code}${addition}` };
    },
  });
  try {
    const { __statements } = exported.parse(await import(url));
    return __statements.map((statement) => texts.parse(statement()));
  } finally {
    hooks.deregister();
  }
}
