import type { ActionTypeConfig } from '../../contracts/endpoints/action-type-config.ts';

/** Returns a line for each field in which an engine's file differs from the registry. */
export function differencesBetween(name: string, kept: ActionTypeConfig, file: ActionTypeConfig): string[] {
  const before = new Map<string, unknown>(Object.entries(kept));
  const now = new Map<string, unknown>(Object.entries(file));
  return [...new Set([...before.keys(), ...now.keys()])].sort().flatMap((field) => {
    const [had, says] = [inOrder(before.get(field)), inOrder(now.get(field))];
    return had === says
      ? []
      : [`actionTypes.${name}.${field}: the registry has ${had ?? 'nothing'}, this file says ${says ?? 'nothing'}`];
  });
}

/** Serializes a value with sorted keys: jsonb orders keys differently than files do. */
function inOrder(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
