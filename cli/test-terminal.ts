import type { Terminal } from './terminal.ts';

/** A terminal that remembers what was written to it. */
export interface TestTerminal extends Terminal {
  readonly written: { out: string; notes: string };
}

export function createTestTerminal(over: Partial<Terminal> = {}): TestTerminal {
  const written = { out: '', notes: '' };
  return {
    out: (text) => {
      written.out += text;
    },
    note: (text) => {
      written.notes += text;
    },
    live: false,
    colours: { out: false, notes: false },
    columns: 100,
    written,
    ...over,
  };
}
