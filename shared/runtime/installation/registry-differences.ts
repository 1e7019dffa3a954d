import type { ActionTypeConfig } from '../../contracts/endpoints/engine-config.ts';

/** A line for each field in which an engine's file says otherwise than the registry. */
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

/** As JSON whose objects have their keys in order: jsonb keeps them in another one than files do. */
function inOrder(value: unknown): string | undefined {
  if (value === undefined) return undefined;
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
