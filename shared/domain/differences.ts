/** A value that differs. `before` or `after` is absent if the value does not exist on that side. */
export interface Difference {
  /** JSON pointer into the later value if the field exists there, otherwise into the earlier value. */
  pointer: string;
  before?: unknown;
  after?: unknown;
}

/** Deeper values are compared as a whole, so that extreme nesting costs no more than the length of the text. */
const maxDepth = 8;

/**
 * Returns the differences between two JSON values, field by field, in the field order of the later value. A list of
 * texts or numbers differs as a whole. For lists of objects, equal items at both ends are skipped, and the others are
 * compared in their order.
 */
export function differences(before: unknown, after: unknown): Difference[] {
  return between(before, after, '', 0);
}

function between(before: unknown, after: unknown, pointer: string, depth: number): Difference[] {
  if (depth < maxDepth && isObject(before) && isObject(after)) return ofObjects(before, after, pointer, depth);
  if (depth < maxDepth && isListOfObjects(before) && isListOfObjects(after))
    return ofLists(before, after, pointer, depth);
  if (isSame(before, after)) return [];
  return [{ pointer, ...(before !== undefined && { before }), ...(after !== undefined && { after }) }];
}

function ofObjects(before: JsonObject, after: JsonObject, pointer: string, depth: number): Difference[] {
  const names = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...names].flatMap((name) =>
    between(valueOf(before, name), valueOf(after, name), `${pointer}/${escaped(name)}`, depth + 1),
  );
}

function ofLists(before: readonly unknown[], after: readonly unknown[], pointer: string, depth: number): Difference[] {
  const shorter = Math.min(before.length, after.length);
  let atStart = 0;
  while (atStart < shorter && isSame(before[atStart], after[atStart])) atStart++;
  let atEnd = 0;
  while (atEnd < shorter - atStart && isSame(before.at(-1 - atEnd), after.at(-1 - atEnd))) atEnd++;
  const removed = before.slice(atStart, before.length - atEnd);
  const added = after.slice(atStart, after.length - atEnd);
  const places = Array.from({ length: Math.max(removed.length, added.length) }, (_, place) => place);
  return places.flatMap((place) => between(removed[place], added[place], `${pointer}/${atStart + place}`, depth + 1));
}

type JsonObject = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfObjects(value: unknown): value is readonly JsonObject[] {
  return Array.isArray(value) && value.every(isObject);
}

function isSame(one: unknown, other: unknown): boolean {
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((each, index) => isSame(each, other[index]));
  }
  if (!isObject(one) || !isObject(other)) return Object.is(one, other);
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSame(one[name], other[name]))
  );
}

function valueOf(object: JsonObject, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
