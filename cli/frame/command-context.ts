import type { Readable } from 'node:stream';
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

/** Says where the next page of a list begins. Programs read it in the answer. */
export function tellNext({ terminal, json }: CommandContext, next: string | null): void {
  if (next !== null && !json) terminal.note(`more: --cursor ${next}\n`);
}
