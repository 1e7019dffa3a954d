import type { RejectedRow, RejectRule } from '../../../shared/contracts/campaigns/uploaded-audiences.ts';
import { areValidUserIds, brokenUserIdRule, escapeUserId } from '../../../shared/domain/ids/user-id.ts';
import { createRowReader, maxLineBytes, type RowCounts, type RowTerms } from './row-reader.ts';
import { maxRejectsKept, type UploadEnd, type UploadRows } from './upload.port.ts';

/** Maximum number of rows in a call of `onRows`. */
const rowsPerPart = 20_000;
/** Maximum number of users that are kept and compared with each other. */
const sampledUsers = 5000;

export interface ReadUploadTerms extends RowTerms {
  /** Receives rows. Reading continues after its promise is resolved. */
  onRows: (rows: UploadRows) => Promise<void>;
}

export interface UploadReading {
  end(): UploadEnd;
  lines(): number;
  counts(): RowCounts;
  sample(): readonly string[];
  /** Reads the bytes to their end. Rejects if the bytes are incomplete. */
  read(bytes: AsyncIterable<Buffer>): Promise<void>;
}

interface Part {
  countries: string[];
  users: string[];
  lines: number[];
}

const lineFeed = 0x0a;
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Creates the reading of a CSV file's rows, as its bytes arrive. Memory is bounded for files and lines of any length.
 */
export function createUploadReading({ onRows, ...terms }: ReadUploadTerms): UploadReading {
  const { skippedLines } = terms.columns;
  let lines = 0;
  let rejected = 0;
  let sample: readonly string[] = [];
  const rejects: RejectedRow[] = [];
  let part: Part = { countries: [], users: [], lines: [] };
  const rows = createRowReader(terms, {
    onUser: (user, country, line) => {
      part.countries.push(country);
      part.users.push(user);
      part.lines.push(line);
    },
    onReject: reject,
  });

  function reject(line: number, value: string, rule: RejectRule): void {
    rejected++;
    if (rejects.length < maxRejectsKept) rejects.push({ line, value: escapeUserId(value), rule });
  }

  /** Passes the collected rows on. All ids are validated as one text, and one by one only if that fails. */
  async function passRowsOn(): Promise<void> {
    const full = part;
    part = { countries: [], users: [], lines: [] };
    const good = areValidUserIds(full.users) ? full : validRows(full);
    if (good.users.length === 0) return;
    if (sample.length === 0) sample = good.users.slice(0, sampledUsers);
    await onRows(good);
  }

  function validRows(full: Part): Part {
    const good: Part = { countries: [], users: [], lines: [] };
    for (const [index, user] of full.users.entries()) {
      const rule = brokenUserIdRule(user);
      const line = full.lines[index] ?? 0;
      if (rule !== null) reject(line, user, rule);
      else {
        good.lines.push(line);
        good.users.push(user);
        good.countries.push(full.countries[index] ?? '');
      }
    }
    return good;
  }

  async function takeLines(bytes: Buffer): Promise<void> {
    for (const line of textsOf(bytes)) {
      lines++;
      if (lines <= skippedLines) continue;
      if (typeof line !== 'string') rows.rejectLine(line.toString('utf8'), lines, 'not-utf-8');
      else if (isTooLong(line)) rows.rejectLine(line, lines, 'too-long');
      else rows.takeLine(line.endsWith('\r') ? line.slice(0, -1) : line, lines);
      if (part.users.length >= rowsPerPart) await passRowsOn();
    }
  }

  function rejectLong(beginning: Buffer): void {
    lines++;
    rows.rejectLine(beginning.toString('utf8'), lines, 'too-long');
  }

  async function read(bytes: AsyncIterable<Buffer>): Promise<void> {
    let rest: Buffer[] = [];
    let restLength = 0;
    let overlong: Buffer | null = null;
    for await (const chunk of bytes) {
      let data = chunk;
      if (overlong) {
        const end = data.indexOf(lineFeed);
        if (end < 0) continue;
        rejectLong(overlong);
        overlong = null;
        data = data.subarray(end + 1);
      }
      const last = data.lastIndexOf(lineFeed);
      if (last >= 0) {
        await takeLines(Buffer.concat([...rest, data.subarray(0, last)]));
        rest = [];
        restLength = 0;
        data = data.subarray(last + 1);
      }
      rest.push(data);
      restLength += data.length;
      if (restLength <= maxLineBytes) continue;
      overlong = Buffer.concat(rest).subarray(0, maxLineBytes);
      rest = [];
      restLength = 0;
    }
    if (overlong) rejectLong(overlong);
    else if (restLength > 0) await takeLines(Buffer.concat(rest));
    rows.end();
    await passRowsOn();
  }

  return {
    end: () => ({ rows: rows.counts.rows, rejected, rejects: rejects.toSorted((a, b) => a.line - b.line) }),
    lines: () => lines,
    counts: () => ({ ...rows.counts }),
    sample: () => sample,
    read,
  };
}

/** Returns true if a line has too many bytes. The limit is the same for lines that are not complete yet. */
function isTooLong(line: string): boolean {
  return line.length * 3 > maxLineBytes && Buffer.byteLength(line) > maxLineBytes;
}

/** Returns lines as strings. Lines that are not UTF-8 stay bytes. */
function textsOf(bytes: Buffer): readonly (string | Buffer)[] {
  const whole = decoded(bytes);
  if (whole !== null) return whole.split('\n');
  const lines: (string | Buffer)[] = [];
  for (let start = 0; start <= bytes.length;) {
    const found = bytes.indexOf(lineFeed, start);
    const end = found < 0 ? bytes.length : found;
    const line = bytes.subarray(start, end);
    lines.push(decoded(line) ?? line);
    start = end + 1;
  }
  return lines;
}

function decoded(bytes: Buffer): string | null {
  try {
    return utf8.decode(bytes);
  } catch {
    return null;
  }
}
