import pg from 'pg';
import type { Kind, Query } from './find-queries.ts';
import { arrays, json } from './kinds-of-types.ts';

const { builtins } = pg.types;

/**
 * Kinds of values that `pg` writes in a form that Postgres reads as the parameter's type, beside texts and bytes, which
 * may be anything in its own form. Other types accept everything except lists.
 */
const takes = new Map<number, readonly Kind[]>([
  [builtins.BOOL, ['boolean']],
  ...[
    builtins.INT2,
    builtins.INT4,
    builtins.INT8,
    builtins.OID,
    builtins.FLOAT4,
    builtins.FLOAT8,
    builtins.NUMERIC,
  ].map((type) => [type, ['number']] as const),
  ...[builtins.TIMESTAMP, builtins.TIMESTAMPTZ, builtins.DATE].map((type) => [type, ['Date']] as const),
  [builtins.BYTEA, []],
  [builtins.UUID, []],
  [builtins.INTERVAL, ['object']],
  ...json.map((type) => [type, ['object', 'number', 'boolean']] as const),
  ...arrays.map((type) => [type, ['array']] as const),
]);
const ofTexts: readonly Kind[] = ['number', 'boolean', 'Date', 'object'];
const ofAll: readonly Kind[] = ['string', 'Buffer', 'null', 'unknown'];

/** Compares the values with the parameters that they are for. */
export function compareValues(
  values: NonNullable<Query['values']>,
  names: readonly string[] | undefined,
  params: readonly number[],
): string[] {
  const inOrder = values instanceof Map ? names?.map((name) => values.get(name) ?? []) : values;
  if (inOrder === undefined) return [];
  if (inOrder.length !== params.length) return [`${params.length} parameters, and ${inOrder.length} values`];
  return params.flatMap((type, place) => {
    const good = [...ofAll, ...(takes.get(type) ?? ofTexts)];
    const wrong = (inOrder[place] ?? []).filter((kind) => !good.includes(kind));
    const called = names?.[place] ?? `$${place + 1}`;
    return [...new Set(wrong)].map((kind) => `parameter ${called} is no ${kind}, which it gets`);
  });
}
