import pg from 'pg';
import type { Described } from './describe-statement.ts';
import { arrays, json } from './kinds-of-types.ts';
import type { Column, Kind } from './find-queries.ts';

const { builtins } = pg.types;

/** Kinds of values that `pg` makes of a column; other types are texts. */
const kindOf = new Map<number, Kind>([
  [builtins.BOOL, 'boolean'],
  [builtins.INT2, 'number'],
  [builtins.INT4, 'number'],
  [builtins.OID, 'number'],
  [builtins.FLOAT4, 'number'],
  [builtins.FLOAT8, 'number'],
  [builtins.TIMESTAMP, 'Date'],
  [builtins.TIMESTAMPTZ, 'Date'],
  [builtins.DATE, 'Date'],
  [builtins.BYTEA, 'Buffer'],
  [builtins.INTERVAL, 'object'],
  ...arrays.map((type) => [type, 'array'] as const),
]);

/** Compares the rows with the type in the code. Null is ignored, because Postgres does not report it. */
export function compareRow(row: ReadonlyMap<string, Column>, columns: Described['columns']): string[] {
  if (row.size === 0) return ['the type of its rows names no column'];
  const isByPlace = [...row.keys()].every((name) => /^\d+$/.test(name));
  if (isByPlace)
    return compareByName(
      row,
      columns.map(({ type }, place) => ({ name: String(place), type })),
    );
  return compareByName(row, columns);
}

function compareByName(row: ReadonlyMap<string, Column>, columns: Described['columns']): string[] {
  const missing = [...row].filter(
    ([name, { isOptional }]) => !isOptional && !columns.some((column) => column.name === name),
  );
  const problems = missing.map(([name]) => `no column "${name}", which the type of its rows has`);
  for (const { name, type } of columns) {
    const reported = row.get(name);
    const kind = kindOf.get(type) ?? 'string';
    // Columns that the code does not read here are ignored.
    if (reported && !json.includes(type) && !reported.kinds.has(kind) && !reported.kinds.has('unknown'))
      problems.push(`column "${name}" is a ${kind}, and said to be ${[...reported.kinds].join(' or ')}`);
  }
  return problems;
}
