import type { Terminal } from './terminal.ts';

export interface TestTerminal extends Terminal {
  readonly written: { out: string; notes: string; pictures: (readonly string[])[] };
}

export function createTestTerminal(over: Partial<Terminal> = {}): TestTerminal {
  const written: TestTerminal['written'] = { out: '', notes: '', pictures: [] };
  return {
    out: (text) => {
      written.out += text;
    },
    stream: async (texts) => {
      for await (const text of texts) written.out += text;
    },
    note: (text) => {
      written.notes += text;
    },
    live: false,
    redraw: (lines) => void written.pictures.push(lines),
    settle: () => undefined,
    colours: { out: false, notes: false },
    columns: 100,
    outColumns: Infinity,
    written,
    ...over,
  };
}
