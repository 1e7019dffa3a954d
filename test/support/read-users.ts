import type { RejectedRow } from '../../shared/contracts/campaigns/uploaded-audiences.ts';
import type { FileReading } from '../../shared/contracts/campaigns/file-reading.ts';
import { HttpProblem } from '../../services/api/frame/http-problem.ts';
import type { ColumnChoice } from '../../services/api/user-files/file-columns.ts';
import { readUserFile } from '../../services/api/user-files/read-user-file.ts';
import { requireFewRejects } from '../../services/api/user-files/reject-share.ts';

export interface ReadAs extends ColumnChoice {
  /** Country of all rows. If undefined, a column contains the country. */
  all?: string | undefined;
  /** True for users without countries, as those of suppression lists. */
  isWithoutCountries?: boolean;
  acceptRejected?: number;
  /** Size of the chunks in which the bytes arrive; all at once by default. */
  chunkBytes?: number;
}

export interface ReadUsers {
  /** Users such as `u-1 SG`, or `u-1` if users have no countries. */
  users: string[];
  rejects: readonly RejectedRow[];
  reading: FileReading;
}

/** Reads a file like the routes that receive lists. Returns the code if the file is refused. */
export async function readUsers(file: string | Buffer, as: ReadAs = {}): Promise<ReadUsers | string> {
  try {
    return await readOrThrow(file, as);
  } catch (error) {
    if (error instanceof HttpProblem) return error.code;
    throw error;
  }
}

/** Reads a file. @throws {HttpProblem} if it is refused */
export async function readOrThrow(file: string | Buffer, as: ReadAs = {}): Promise<ReadUsers> {
  const { all, isWithoutCountries = false, acceptRejected, chunkBytes, ...choice } = as;
  const users: string[] = [];
  const { reading, description } = await readUserFile(chunksOf(Buffer.from(file), chunkBytes), {
    choice,
    hasCountries: !isWithoutCountries,
    country: isWithoutCountries ? '*' : (all ?? null),
    countries: isWithoutCountries ? { has: () => true } : new Set(['SG', 'ID', 'VN', 'TH', 'GB']),
    onRows: ({ users: some, countries }) => {
      users.push(...some.map((user, index) => (isWithoutCountries ? user : `${user} ${countries[index] ?? ''}`)));
      return Promise.resolve();
    },
  });
  const end = reading.end();
  requireFewRejects(end, acceptRejected);
  return { users, rejects: end.rejects, reading: description };
}

/** Returns the users of a file, separated by commas, or the code of its refusal. */
export async function usersOf(file: string | Buffer, as: ReadAs = {}): Promise<string> {
  const read = await readUsers(file, as);
  return typeof read === 'string' ? read : read.users.join(', ');
}

/** Returns lines and rules of all rejected rows of a file, or the code of its refusal. */
export async function rejectsOf(file: string | Buffer, as: ReadAs = {}): Promise<string> {
  const read = await readUsers(file, { acceptRejected: Infinity, ...as });
  if (typeof read === 'string') return read;
  return read.rejects.map(({ line, rule }) => `${line} ${rule}`).join(', ');
}

/** Returns how a file was read. @throws {HttpProblem} if it is refused */
export async function readingOf(file: string | Buffer, as: ReadAs = {}): Promise<FileReading> {
  return (await readOrThrow(file, as)).reading;
}

async function* chunksOf(file: Buffer, chunkBytes = file.length): AsyncGenerator<Buffer> {
  await Promise.resolve();
  for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
}
