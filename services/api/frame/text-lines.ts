const lineFeed = 0x0a;

/**
 * Whole lines without their end, as bytes come; null for one that is longer than it may be. Memory is bounded however
 * long a line is.
 */
export async function* textLines(bytes: AsyncIterable<unknown>, maxLineBytes: number): AsyncGenerator<string | null> {
  let rest: Buffer = Buffer.alloc(0);
  let isOverlong = false;
  for await (const chunk of bytes) {
    const data = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let from = 0;
    for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
      const line = Buffer.concat([rest, data.subarray(from, end)]);
      yield isOverlong || line.length > maxLineBytes ? null : withoutReturn(line.toString('utf8'));
      isOverlong = false;
      rest = Buffer.alloc(0);
      from = end + 1;
    }
    rest = Buffer.concat([rest, data.subarray(from)]);
    if (rest.length > maxLineBytes) {
      isOverlong = true;
      rest = Buffer.alloc(0);
    }
  }
  if (isOverlong) yield null;
  else if (rest.length > 0) yield withoutReturn(rest.toString('utf8'));
}

function withoutReturn(text: string): string {
  return text.endsWith('\r') ? text.slice(0, -1) : text;
}
