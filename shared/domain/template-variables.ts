/** `{ "$variable": "reward" }` stands for a whole value of a template's definition. */
export const variableKey = '$variable';

export interface VariablePlace {
  /** JSON pointer of the value that it stands for. */
  pointer: string;
  /** Undefined where what stands there names none, or has other fields beside it. */
  name: string | undefined;
}

/** Where variables stand in a definition. */
export function placesOfVariables(value: unknown, pointer = ''): VariablePlace[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Object.hasOwn(value, variableKey)) return [{ pointer, name: nameIn(value) }];
  return Object.entries(value).flatMap(([key, inner]) =>
    placesOfVariables(inner, `${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`),
  );
}

/** The definition with values in the places of its variables; one that has no value is left out. */
export function filled(value: unknown, values: ReadonlyMap<string, unknown>): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Object.hasOwn(value, variableKey)) return values.get(nameIn(value) ?? '');
  if (Array.isArray(value)) return value.map((each) => filled(each, values));
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, filled(inner, values)]));
}

/** The variable that a pointer leads to or into. */
export function variableAt(pointer: string, places: readonly VariablePlace[]): VariablePlace | undefined {
  return places.find((place) => pointer === place.pointer || pointer.startsWith(`${place.pointer}/`));
}

function nameIn(value: object): string | undefined {
  const entries = Object.entries(value);
  const [[, name] = []] = entries;
  return entries.length === 1 && typeof name === 'string' ? name : undefined;
}
