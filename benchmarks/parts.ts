import { ConfigurationError } from '../shared/runtime/configuration/configuration-error.ts';
import { publishTables, type Table } from './results.ts';

export interface PartsOf<Part> {
  /** Of the benchmark. */
  name: string;
  question: string;
  parts: Readonly<Record<string, Part>>;
  /** One part by its name; undefined: all of them. */
  only: string | undefined;
}

/**
 * Measures the parts that were asked for, one after the other, and publishes their tables: one part alone under a name
 * of its own, so that it does not take the place of all.
 * @throws {ConfigurationError} where there is no such part
 */
export async function publishParts<Part>(
  { name, question, parts, only }: PartsOf<Part>,
  measure: (part: Part) => Promise<Table[]>,
): Promise<void> {
  const asked = Object.entries(parts).filter(([part]) => only === undefined || part === only);
  if (asked.length === 0) {
    throw new ConfigurationError([`--only ${String(only)}: there are ${Object.keys(parts).join(', ')}`]);
  }
  const tables: Table[] = [];
  for (const [title, part] of asked) {
    console.error(`${name}: ${title}`);
    tables.push(...(await measure(part)));
  }
  publishTables(only === undefined ? name : `${name}-${only}`, question, tables);
}
