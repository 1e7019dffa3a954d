import { run, type CommandOptions } from './commands.ts';

export interface Displayed {
  code: number | null;
  words: string;
}

/** Runs a script of this repository, shows its output as it comes, and returns it. */
export async function runAndShow(
  args: readonly string[],
  withinMs: number,
  { program = process.execPath, ...options }: CommandOptions & { program?: string } = {},
): Promise<Displayed> {
  let words = '';
  const onOutput = (text: string) => {
    process.stdout.write(text);
    words += text;
  };
  return { code: await run(program, args, { ...options, onOutput, withinMs, endsWhole: true }), words };
}

export function linesOf(words: string, wanted: RegExp): string {
  return words
    .split('\n')
    .filter((line) => wanted.test(line))
    .join('\n');
}
