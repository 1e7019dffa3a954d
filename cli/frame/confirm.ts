import { createInterface } from 'node:readline/promises';
import type { CommandContext } from './command-context.ts';

/** Returns whether a person is present who can answer a question. */
export function canAsk({ terminal, input, json }: CommandContext): boolean {
  return terminal.live && !json && 'isTTY' in input && input.isTTY === true;
}

/** Prints a question. Returns true only for a clear yes, and false at the end of the input. */
export async function isConfirmed(question: string, { terminal, input }: CommandContext): Promise<boolean> {
  terminal.note(`${question} y/N\n`);
  const lines = createInterface({ input });
  try {
    for await (const line of lines) return /^y(es)?$/i.test(line.trim());
    return false;
  } finally {
    lines.close();
  }
}
