import { ConfigurationError } from '../shared/runtime/configuration/configuration-error.ts';
import { publishTables, type Table } from './results.ts';

export interface PartsOf<Part> {
  /** Name of the benchmark. */
  name: string;
  question: string;
  parts: Readonly<Record<string, Part>>;
  /** Name of the only part to run; undefined runs all parts. */
  only: string | undefined;
}

/**
 * Measures the requested parts, one after the other, and publishes their tables. A single part is published under a
 * name of its own, so that it does not overwrite the results of all parts.
 * @throws {ConfigurationError} if no part has the name `only`
 */
export async function publishParts<Part>(
  { name, question, parts, only }: PartsOf<Part>,
  measure: (part: Part) => Promise<Table[]>,
): Promise<void> {
  const requested = Object.entries(parts).filter(([part]) => only === undefined || part === only);
  if (requested.length === 0) {
    throw new ConfigurationError([`--only ${String(only)}: there are ${Object.keys(parts).join(', ')}`]);
  }
  const tables: Table[] = [];
  for (const [title, part] of requested) {
    console.error(`${name}: ${title}`);
    tables.push(...(await measure(part)));
  }
  publishTables(only === undefined ? name : `${name}-${only}`, question, tables);
}
