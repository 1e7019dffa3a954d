import { access, constants, readFile } from 'node:fs/promises';
import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { z } from 'zod';
import { decodeText } from '../../shared/runtime/configuration/decode-text.ts';
import { flag, text as textOption } from './options.ts';
import { UsageError } from './usage-error.ts';

/** Option `--file` of commands that also accept fields as arguments. */
export const fieldsFile = { file: textOption('-f, --file <path>', 'fields as JSON; - reads standard input') };
export const changesFile = { file: textOption('-f, --file <path>', 'fields as JSON; - reads standard input') };

export const yes = { yes: flag('-y, --yes', 'skip the confirmation') };

export interface WrittenFields {
  /** Fields such as `timeoutMs=2000`; a dot separates nested names. They override the fields of the file. */
  words: readonly string[];
  /** Path, or `-` for standard input. */
  file: string | undefined;
  input: Readable;
}

/**
 * Reads fields of a request body from arguments and a file.
 * @param shape type of the body; the API validates it and reports all errors at once
 */
export async function readFields<Body>({ words, file, input }: WrittenFields, shape: z.ZodType<Body>): Promise<Body> {
  const written = file === undefined ? {} : fieldsOf(await contentOf(file, input), file);
  const fields = { ...written };
  for (const word of words) put(fields, ...fieldOf(word));
  if (Object.keys(fields).length === 0) throw new UsageError('say what it is to be: field=value, or a file with -f');
  return shape.parse(fields);
}

/** Parses a value as JSON if possible, otherwise as text: `timeoutMs=2000`, `class=A`. */
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

/** Sets a nested field; `target.url` is the field `url` of `target`. */
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

/** Reads the text of a file or of standard input. Throws a UsageError if the file does not exist or is not text. */
export async function contentOf(file: string, input: Readable): Promise<string> {
  try {
    return decodeText(await (file === '-' ? buffer(input) : readFile(file)));
  } catch (error) {
    throw unreadable(file === '-' ? 'standard input' : file, error);
  }
}

/**
 * Opens a file or standard input as a stream. Checks access first: a stream would report a missing file only in the
 * middle of a request.
 */
export async function streamOf(file: string, input: Readable): Promise<Readable> {
  if (file === '-') return input;
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw unreadable(file, error);
  });
  return createReadStream(file);
}

/** Parses JSON of an option or a file. @param where name of the option or file, for the error */
export function parseJson(content: string, where: string): unknown {
  try {
    return JSON.parse(content);
  } catch (error) {
    throw new UsageError(`${where} is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function unreadable(file: string, error: unknown): UsageError {
  return new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
}
