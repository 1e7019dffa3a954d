import type { RejectedRow, RejectRule } from '../../../shared/contracts/campaigns/audiences.ts';
import { areValidUserIds, brokenUserIdRule, escapeUserId } from '../../../shared/domain/ids/user-id.ts';
import { columnsOf, maxLineBytes, rowOf, type Columns } from './csv-rows.ts';
import { maxRejectsKept, type UploadEnd, type UploadRows } from './audience-store.port.ts';

/** Rows that are handed on at once. */
const rowsPerPart = 20_000;

export interface ReadUploadTerms {
  /** Of all rows; null where a column says it. */
  country: string | null;
  /** Those that are configured. */
  countries: Pick<ReadonlySet<string>, 'has'>;
  /** Waited for: no more is read meanwhile. */
  onRows: (rows: UploadRows) => Promise<void>;
}

/** What was read so far, also when reading failed in the middle. */
export interface UploadReading {
  end(): UploadEnd;
  /** Lines, from 1. */
  lines(): number;
  /** Reads to the end. Rejects when the bytes do not come whole. */
  read(bytes: AsyncIterable<unknown>): Promise<void>;
}

const lineFeed = 0x0a;
const byteOrderMark = '\ufeff';
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads rows of a CSV file as its bytes come: one id a line, or two columns with a country. Memory is bounded, however
 * long the file or one of its lines is.
 */
export function createUploadReading({ country, countries, onRows }: ReadUploadTerms): UploadReading {
  const without: Columns = { id: 0, country: -1 };
  let columns: Columns = country === null ? { id: 0, country: 1 } : without;
  let lines = 0;
  let rows = 0;
  let rejected = 0;
  const rejects: RejectedRow[] = [];
  let part: { countries: string[]; users: string[]; lines: number[] } = { countries: [], users: [], lines: [] };

  function reject(line: number, value: string, rule: RejectRule): void {
    rejected++;
    if (rejects.length < maxRejectsKept) rejects.push({ line, value: escapeUserId(value), rule });
  }

  function takeLine(text: string): void {
    lines++;
    let line = text.endsWith('\r') ? text.slice(0, -1) : text;
    if (lines === 1) {
      if (line.startsWith(byteOrderMark)) line = line.slice(1);
      const named = columnsOf(line);
      if (named) {
        columns = country === null ? named : { ...named, country: -1 };
        return;
      }
    }
    if (line === '') return;
    rows++;
    if (line.length > maxLineBytes) {
      reject(lines, line, 'too-long');
      return;
    }
    const row = rowOf(line, columns);
    if ('rejected' in row) {
      reject(lines, line, row.rejected);
      return;
    }
    const place = country ?? row.country;
    if (place === null) {
      reject(lines, line, 'missing-country');
      return;
    }
    if (!countries.has(place)) {
      reject(lines, line, 'unknown-country');
      return;
    }
    part.countries.push(place);
    part.users.push(row.id);
    part.lines.push(lines);
  }

  /** All ids are looked at as one text; one after the other only where an id in it is broken. */
  async function handOn(): Promise<void> {
    const full = part;
    part = { countries: [], users: [], lines: [] };
    if (full.users.length === 0) return;
    if (areValidUserIds(full.users)) return onRows(full);
    const good: typeof full = { countries: [], users: [], lines: [] };
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
    if (good.users.length > 0) await onRows(good);
  }

  async function takeLines(bytes: Buffer): Promise<void> {
    for (const line of textsOf(bytes)) {
      if (typeof line === 'string') takeLine(line);
      else {
        lines++;
        rows++;
        reject(lines, line.toString('utf8'), 'not-utf-8');
      }
      if (part.users.length >= rowsPerPart) await handOn();
    }
  }

  function rejectLong(beginning: Buffer): void {
    lines++;
    rows++;
    reject(lines, beginning.toString('utf8'), 'too-long');
  }

  async function read(bytes: AsyncIterable<unknown>): Promise<void> {
    let rest: Buffer = Buffer.alloc(0);
    /** The beginning of a line whose end is not in sight. */
    let overlong: Buffer | null = null;
    for await (const chunk of bytes) {
      let data = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
      if (overlong) {
        const end = data.indexOf(lineFeed);
        if (end < 0) continue;
        rejectLong(overlong);
        overlong = null;
        data = data.subarray(end + 1);
      }
      const joined: Buffer = rest.length === 0 ? data : Buffer.concat([rest, data]);
      const last = joined.lastIndexOf(lineFeed);
      if (last >= 0) await takeLines(joined.subarray(0, last));
      rest = joined.subarray(last + 1);
      if (rest.length > maxLineBytes) {
        overlong = rest.subarray(0, maxLineBytes);
        rest = Buffer.alloc(0);
      }
    }
    if (overlong) rejectLong(overlong);
    else if (rest.length > 0) await takeLines(rest);
    await handOn();
  }

  return {
    end: () => ({ rows, rejected, rejects: rejects.toSorted((a, b) => a.line - b.line) }),
    lines: () => lines,
    read,
  };
}

/** The lines of whole lines; as bytes where a line is no UTF-8. */
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
