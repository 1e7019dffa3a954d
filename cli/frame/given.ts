import { access, constants, readFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { decodeText } from '../../shared/runtime/configuration/decode-text.ts';
import { flag, text as textOption } from './options.ts';
import { UsageError } from './usage-error.ts';

/** `--file` of commands whose fields can be given as words too. */
export const fieldsFile = { file: textOption('-f, --file <path>', 'its fields as JSON; - reads standard input') };
export const changesFile = { file: textOption('-f, --file <path>', 'the fields as JSON; - reads standard input') };

/** For commands that cannot be taken back. */
export const yes = { yes: flag('-y, --yes', 'do not ask') };

export interface WrittenFields {
  /** `timeoutMs=2000`; a dot goes into a field. They go before those of the file. */
  words: readonly string[];
  /** A path, or `-` for standard input. */
  file: string | undefined;
  input: Readable;
}

/**
 * @param shape as whose fields they are sent: whether they are right is for the API to say, which names all that is
 * wrong at once
 */
export async function readFields<Body>({ words, file, input }: WrittenFields, shape: z.ZodType<Body>): Promise<Body> {
  const written = file === undefined ? {} : fieldsOf(await contentOf(file, input), file);
  const fields = { ...written };
  for (const word of words) put(fields, ...fieldOf(word));
  if (Object.keys(fields).length === 0) throw new UsageError('say what it is to be: field=value, or a file with -f');
  return shape.parse(fields);
}

/** A value is JSON where it can be read as such, and a text otherwise: `timeoutMs=2000`, `class=A`. */
function fieldOf(word: string): [path: string[], value: unknown] {
  const equals = word.indexOf('=');
  if (equals <= 0) throw new UsageError(`${word}: has to be field=value`);
  const value = word.slice(equals + 1);
  const path = word.slice(0, equals).split('.');
  try {
    return [path, JSON.parse(value)];
  } catch {
    return [path, value];
  }
}

const nested = z.record(z.string(), z.unknown());

/** `target.url` is the field `url` of `target`. */
function put(body: Record<string, unknown>, [first = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) {
    body[first] = value;
    return;
  }
  const inner = { ...nested.safeParse(body[first]).data };
  body[first] = inner;
  put(inner, rest, value);
}

function fieldsOf(content: string, file: string): Record<string, unknown> {
  try {
    return nested.parse(JSON.parse(content));
  } catch (error) {
    const why = error instanceof z.ZodError ? 'has to be an object' : `is no JSON: ${String(error)}`;
    throw new UsageError(`${file === '-' ? 'standard input' : file}: ${why}`);
  }
}

/** Reads the text of a file, or of standard input. Throws a UsageError if the file is not there or is no text. */
export async function contentOf(file: string, input: Readable): Promise<string> {
  try {
    return decodeText(await (file === '-' ? buffer(input) : readFile(file)));
  } catch (error) {
    throw unreadable(file === '-' ? 'standard input' : file, error);
  }
}

/**
 * To be read as it is sent. Looked at first: a stream says only in the middle of a request that there is no such file.
 */
export async function streamOf(file: string, input: Readable): Promise<Readable> {
  if (file === '-') return input;
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return createReadStream(file);
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
}
