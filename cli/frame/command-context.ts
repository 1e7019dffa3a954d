import type { Readable } from 'node:stream';
import { oneLine } from '../show/text.ts';
import type { Terminal } from './terminal.ts';

/** What a command gets from outside. */
export interface CommandContext {
  terminal: Terminal;
  environment: NodeJS.ProcessEnv;
  input: Readable;
  /** Data as JSON instead of text. */
  json: boolean;
  /** Aborted by the first Ctrl-C or SIGTERM. Commands that need no end of their own need not look at it. */
  readonly signal: AbortSignal;
}

/** Writes data: the value itself for programs, the text for people. */
export function writeData({ terminal, json }: CommandContext, value: unknown, text: () => string): void {
  terminal.out(json ? `${JSON.stringify(value, undefined, 2)}\n` : text());
}

/** Says how to see more of a list. Programs read it in the answer. */
export function noteNext(data: unknown, { terminal, json }: CommandContext, more?: string): void {
  if (json || typeof data !== 'object' || data === null || !('next' in data) || typeof data.next !== 'string') return;
  terminal.note(`more: ${more ?? `--cursor ${oneLine(data.next)}`}\n`);
}
