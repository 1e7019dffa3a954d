/** Key of a placeholder in a template's definition: `{ "$variable": "reward" }` replaces a whole value. */
export const variableKey = '$variable';

export interface VariablePlace {
  pointer: string;
  /** Name of the variable; undefined if the placeholder names no variable or has other fields. */
  name: string | undefined;
}

export function placesOfVariables(value: unknown, pointer = ''): VariablePlace[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Object.hasOwn(value, variableKey)) return [{ pointer, name: nameIn(value) }];
  return Object.entries(value).flatMap(([key, inner]) =>
    placesOfVariables(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** Returns the definition with values in place of its variables; a variable without a value is omitted. */
export function filled(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, variableKey)) return values.get(nameIn(value) ?? '');
  if (Array.isArray(value)) return value.map((each) => filled(each, values));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, values)]));
}

export function variableAt(pointer: string, places: readonly VariablePlace[]): VariablePlace | undefined {
  return places.find((place) => pointer === place.pointer || pointer.startsWith(`${place.pointer}/`));
}

function nameIn(value: object): string | undefined {
  const entries = Object.entries(value);
  const [[, name] = []] = entries;
  return entries.length === 1 && typeof name === 'string' ? name : undefined;
}
