import { createInterface } from 'node:readline/promises';
import type { CommandContext } from './command-context.ts';

/** Whether a person sits there who can be asked. */
export function canAsk({ terminal, input, json }: CommandContext): boolean {
  return terminal.live && !json && 'isTTY' in input && input.isTTY === true;
}

/** Asks, and takes only a clear yes for one; the end of input is none. */
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
