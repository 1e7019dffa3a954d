import { readFile } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { UsageError } from '../frame/usage-error.ts';

export interface WrittenOptions {
  /** A path, or `-` for standard input. */
  file?: string | undefined;
}

export type Fields = Record<string, unknown>;

/**
 * Fields of an action type from a file and from words such as `timeoutMs=2000`, which go before those of the file. Whether they are right is
 * for the API to say.
 */
export async function readFields(words: readonly string[], { file }: WrittenOptions, input: Readable): Promise<Fields> {
  const written = file === undefined ? {} : fieldsOf(await contentOf(file, input), file);
  const fields = { ...written, ...Object.fromEntries(words.map(fieldOf)) };
  if (Object.keys(fields).length === 0) throw new UsageError('say what it is to be: field=value, or a file with -f');
  return fields;
}

/** A value is JSON where it can be read as such, and a text otherwise: `timeoutMs=2000`, `class=A`. */
function fieldOf(word: string): [string, unknown] {
  const equals = word.indexOf('=');
  if (equals <= 0) throw new UsageError(`${word}: has to be field=value`);
  const value = word.slice(equals + 1);
  try {
    return [word.slice(0, equals), JSON.parse(value)];
  } catch {
    return [word.slice(0, equals), value];
  }
}

async function contentOf(file: string, input: Readable): Promise<string> {
  if (file === '-') return await text(input);
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function fieldsOf(content: string, file: string): Fields {
  try {
    return z.record(z.string(), z.unknown()).parse(JSON.parse(content));
  } catch (error) {
    const why = error instanceof z.ZodError ? 'has to be an object' : `is no JSON: ${String(error)}`;
    throw new UsageError(`${file === '-' ? 'standard input' : file}: ${why}`);
  }
}
