import type { SourceRow } from '../source.port.ts';

const lineBreak = 10;

/**
 * Parses rows in the text format of COPY with two columns. Yields the complete rows after each chunk; a row may be
 * split between chunks.
 */
export async function* copiedRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<SourceRow[]> {
  let rest = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const end = chunk.lastIndexOf(lineBreak);
    if (end === -1) {
      rest = Buffer.concat([rest, chunk]);
      continue;
    }
    const lines = Buffer.concat([rest, chunk.subarray(0, end)]).toString('utf8');
    rest = Buffer.from(chunk.subarray(end + 1));
    yield lines.split('\n').map(rowOf);
  }
}

function rowOf(line: string): SourceRow {
  const tab = line.indexOf('\t');
  return { userId: valueOf(line.slice(0, tab)), country: valueOf(line.slice(tab + 1)) };
}

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

function valueOf(text: string): string | null {
  if (!text.includes('\\')) return text;
  if (text === '\\N') return null;
  return text.replaceAll(/\\(.)/g, (_, character: string) => escapes[character] ?? character);
}
