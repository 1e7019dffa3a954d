import type { ReceivedPage } from '../ports/segmentation.ts';
import { maxUserIdBytes } from '../domain/ids/user-id.ts';
import { PlainUsers } from '../domain/ids/page-users.ts';

const begin = Buffer.from('{"users":[');
const [quote, comma, bracket, backslash] = [0x22, 0x2c, 0x5d, 0x5c];
/** First and last printable character of ASCII. */
const [firstPrintable, lastPrintable] = [0x20, 0x7e];

/** Everything behind the users: `next`, and at most `maxLimit`. An escape, or any other field, does not match. */
const ending = /^\],"next":(?:null|"([\x20-\x21\x23-\x5b\x5d-\x7e]*)")(?:,"maxLimit":([1-9][0-9]{0,8}))?\}[ \t\n\r]*$/;
/** Upper bound on the bytes of an ending that matches, whatever follows it. */
const longestEnding = 4 * maxUserIdBytes;

/**
 * Reads a page of a segment from its bytes, without parsing JSON. Returns null if the page is not _plain_: compact
 * JSON with the fields in the order `users`, `next`, `maxLimit`. Its ids are valid, strictly ascending, and printable
 * ASCII without escapes. The parser reads all other pages, and names the fault of a wrong one.
 */
export function readPlainPage(body: Buffer): ReceivedPage | null {
  if (body.length < begin.length || begin.compare(body, 0, begin.length) !== 0) return null;
  const first = begin.length;
  const starts = findIds(body, first);
  if (starts === null) return null;
  const last = starts.at(-1) ?? first;
  // The last entry is behind a comma that the text does not have.
  const end = starts.length > 1 ? last - 1 : first;
  if (body.length - end > longestEnding) return null;
  const rest = ending.exec(body.toString('latin1', end));
  if (!rest) return null;
  const [, next = null, maxLimit] = rest;
  const users = PlainUsers.of(
    body.toString('latin1', first, end),
    starts.map((start) => start - first),
  );
  return { users, next, ...(maxLimit !== undefined && { maxLimit: Number(maxLimit) }) };
}

/**
 * Returns the offsets of the opening quotes of the ids from `first` on, and the offset at which another id would begin.
 * Null if an id is not plain or not greater than the id before it.
 */
function findIds(body: Buffer, first: number): number[] | null {
  const starts: number[] = [];
  if (body[first] === bracket) return [first];
  let before = -1;
  for (let start = first; ;) {
    starts.push(start);
    const end = endOfId(body, start, before);
    if (end < 0) return null;
    if (body[end + 1] === bracket) return [...starts, end + 2];
    if (body[end + 1] !== comma) return null;
    before = start;
    start = end + 2;
  }
}

/**
 * Returns the offset of the closing quote of the id that begins at `start`. -1 if the id is not plain, or not greater
 * than the id that begins at `before`. @param before offset of the opening quote of an earlier id; -1 for the first id
 */
function endOfId(body: Buffer, start: number, before: number): number {
  if (body[start] !== quote) return -1;
  const longestEnd = Math.min(body.length - 1, start + 1 + maxUserIdBytes);
  let isGreater = before < 0;
  for (let at = start + 1; at <= longestEnd; at++) {
    const byte = body[at] ?? 0;
    if (byte === quote) return isGreater && at > start + 1 ? at : -1;
    if (byte < firstPrintable || byte > lastPrintable || byte === backslash) return -1;
    if (isGreater) continue;
    const other = body[before + at - start] ?? 0;
    // The earlier id ends here, so it is a prefix of this one.
    if (other === quote) isGreater = true;
    else if (byte < other) return -1;
    else if (byte > other) isGreater = true;
  }
  return -1;
}
