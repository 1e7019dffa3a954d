import { gzipSync } from 'node:zlib';

const chunkBytes = 64 * 1024;
const countries = ['SG', 'ID', 'VN', 'TH'] as const;

/** A list in the form in which it is uploaded. */
export interface Kind {
  name: string;
  query: string;
  headers: Readonly<Record<string, string>>;
  body: Buffer;
}

export function* chunksOf(bytes: Buffer): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes);
}

export function kindsOf(shuffled: readonly string[]): Kind[] {
  const lines = (users: readonly string[]) => Buffer.from(`${users.join('\n')}\n`);
  const withCountries = shuffled.map((user, index) => `${user},${countries[index % countries.length] ?? ''}`);
  const inOne = { query: '&country=SG', headers: {} };
  return [
    { name: 'ascending', ...inOne, body: lines(shuffled.toSorted()) },
    { name: 'shuffled', ...inOne, body: lines(shuffled) },
    { name: 'shuffled, gzip', ...inOne, headers: { 'content-encoding': 'gzip' }, body: gzipSync(lines(shuffled)) },
    { name: 'shuffled, of four countries', query: '', headers: {}, body: lines(['userId,country', ...withCountries]) },
  ];
}

/**
 * Returns users in an order that differs widely from the order of their ids, and is the same in every run. The step has
 * no divisor in common with the number of rows, so each user occurs once.
 */
export function shuffledUsers(rows: number): string[] {
  const step = 616_037;
  return Array.from({ length: rows }, (_, index) => `user-${String((index * step) % rows).padStart(9, '0')}`);
}
