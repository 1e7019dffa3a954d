/**
 * Builds a Postgres array literal as text. pg's own conversion quotes and escapes every element, numbers and uuids
 * included, and costs several times as much.
 */
export function plainArray(values: readonly (string | number | boolean)[]): string {
  return `{${values.join(',')}}`;
}

/** Builds an array literal of texts with any content but NUL, which a Postgres text cannot hold. */
export function textArray(values: readonly (string | null)[]): string {
  return `{${values.map(quoted).join(',')}}`;
}

function quoted(value: string | null): string {
  if (value === null) return 'NULL';
  return `"${/["\\]/.test(value) ? value.replace(/["\\]/g, '\\$&') : value}"`;
}
