const lineFeed = 0x0a;
const carriageReturn = 0x0d;
const byteOrderMark = Buffer.from('\ufeff');

/**
 * Yields complete lines as bytes, without line ends, and without a byte order mark at the beginning of the file. Yields
 * null for a line that is too long, so that memory is bounded. Lines are not decoded, because a decoder that replaces
 * invalid UTF-8 would change the sender's text.
 */
export async function* byteLines(bytes: AsyncIterable<unknown>, maxLineBytes: number): AsyncGenerator<Buffer | null> {
  let isFirst = true;
  for await (const line of splitLines(bytes, maxLineBytes)) {
    yield isFirst && line ? withoutMark(line) : line;
    isFirst = false;
  }
}

async function* splitLines(bytes: AsyncIterable<unknown>, maxLineBytes: number): AsyncGenerator<Buffer | null> {
  const begun = createBegunLine(maxLineBytes);
  for await (const chunk of bytes) {
    const data = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    let from = 0;
    for (let end = data.indexOf(lineFeed); end >= 0; end = data.indexOf(lineFeed, from)) {
      begun.add(data.subarray(from, end));
      yield begun.take();
      from = end + 1;
    }
    begun.add(data.subarray(from));
  }
  if (!begun.isEmpty()) yield begun.take();
}

/**
 * Collects one line from its chunks. A full buffer is doubled: copying the line for each chunk would cost minutes of
 * CPU time if one long line arrives byte by byte.
 */
function createBegunLine(maxBytes: number) {
  let gathered = Buffer.alloc(0);
  let length = 0;
  let isOverlong = false;

  function makeRoom(bytes: number): void {
    if (bytes <= gathered.length) return;
    const larger = Buffer.allocUnsafe(Math.min(maxBytes, Math.max(bytes, 2 * gathered.length)));
    gathered.copy(larger, 0, 0, length);
    gathered = larger;
  }

  return {
    isEmpty: () => length === 0 && !isOverlong,
    add: (part: Buffer) => {
      isOverlong ||= length + part.length > maxBytes;
      if (isOverlong || part.length === 0) return;
      makeRoom(length + part.length);
      length += part.copy(gathered, length);
    },
    /** Returns the line, or null if it is too long, and begins the next line. */
    take: (): Buffer | null => {
      const line = isOverlong ? null : withoutReturn(gathered.subarray(0, length));
      // The caller keeps the returned line, so the next line needs a new buffer.
      gathered = Buffer.alloc(0);
      length = 0;
      isOverlong = false;
      return line;
    },
  };
}

function withoutReturn(line: Buffer): Buffer {
  return line.at(-1) === carriageReturn ? line.subarray(0, -1) : line;
}

function withoutMark(line: Buffer): Buffer {
  const isMarked = line.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return isMarked ? line.subarray(byteOrderMark.length) : line;
}
