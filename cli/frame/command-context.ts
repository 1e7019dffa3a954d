import type { Readable } from 'node:stream';
import { oneLine } from '../show/text.ts';
import type { Terminal } from './terminal.ts';

export interface CommandContext {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
  input: Readable;
  /** Prints data as JSON instead of text. */
  json: boolean;
  /** Aborted by the first Ctrl-C or SIGTERM. If a command never reads the signal, Ctrl-C ends the process as usual. */
  readonly signal: AbortSignal;
}

export function writeData({ terminal, json }: CommandContext, value: unknown, text: () => string): void {
  terminal.out(json ? `${JSON.stringify(value, undefined, 2)}\n` : text());
}

/**
 * Prints a note with the option that lists more items. Prints nothing with `--json`, because programs read the cursor
 * in the answer.
 */
export function noteNext(data: unknown, { terminal, json }: CommandContext, more?: string): void {
  if (json || typeof data !== 'object' || data === null || !('next' in data) || typeof data.next !== 'string') return;
  terminal.note(`more: ${more ?? `--cursor ${oneLine(data.next)}`}\n`);
}
