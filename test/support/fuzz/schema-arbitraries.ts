import { z } from 'zod';
import { fc } from '../properties.ts';
import { oddStrings } from './odd-values.ts';
import { isFields, type JsonFields, type JsonValue } from './json.ts';

/** Usual values of fields by name. A schema only says `string`, but the route expects an existing value. */
export type KnownWords = Readonly<Record<string, readonly string[]>>;

interface Terms {
  /** Components by name. */
  schemas: Readonly<Record<string, JsonValue>>;
  words: KnownWords;
}

/** Recursive schemas end below this depth. */
const deepest = 7;

/** Generates values that fit a JSON schema, as far as this document uses JSON schema. */
export function fitting(schema: JsonValue, terms: Terms, name = '', depth = 0): fc.Arbitrary<JsonValue> {
  if (!isFields(schema)) return anyJson();
  const words = schema['type'] === 'string' && schema['enum'] === undefined ? terms.words[name] : undefined;
  const known = (words ?? []).map((word) => fc.constant<JsonValue>(word));
  const examples = listOf(schema['examples']).map((example) => fc.constant(example));
  const inner = ofSchema(schema, terms, name, depth);
  const better = [...known, ...examples];
  return better.length === 0 ? inner : fc.oneof({ arbitrary: fc.oneof(...better), weight: 4 }, inner);
}

function ofSchema(schema: JsonFields, terms: Terms, name: string, depth: number): fc.Arbitrary<JsonValue> {
  if (depth > deepest) return fc.constant(null);
  const within = (inner: JsonValue, innerName = name) => fitting(inner, terms, innerName, depth + 1);
  if (typeof schema['$ref'] === 'string') {
    const component = schema['$ref'].replace('#/components/schemas/', '');
    return within(terms.schemas[component] ?? {});
  }
  if (schema['const'] !== undefined) return fc.constant(schema['const']);
  if (Array.isArray(schema['enum'])) return fc.constantFrom(...schema['enum']);
  const choices = [...listOf(schema['anyOf']), ...listOf(schema['oneOf'])];
  if (choices.length > 0) return fc.oneof(...choices.map((choice) => within(choice)));
  const types = Array.isArray(schema['type']) ? schema['type'] : [schema['type'] ?? 'any'];
  return fc.oneof(...types.map((type) => ofType(type, schema, within)));
}

type Within = (schema: JsonValue, name?: string) => fc.Arbitrary<JsonValue>;

function ofType(type: JsonValue, schema: JsonFields, within: Within): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return ofNumber(schema);
    case 'string':
      return ofString(schema);
    case 'array':
      return ofArray(schema, within);
    case 'object':
      return ofObject(schema, within);
    default:
      return anyJson();
  }
}

function ofNumber(schema: JsonFields): fc.Arbitrary<JsonValue> {
  const least = numberIn(schema, 'minimum') ?? (numberIn(schema, 'exclusiveMinimum') ?? -1000) + 1;
  const most = Math.max(least, numberIn(schema, 'maximum') ?? (numberIn(schema, 'exclusiveMaximum') ?? 1e6) - 1);
  const [min, max] = [Math.ceil(least), Math.floor(most)];
  if (min > max) return fc.constant(least);
  return fc.oneof(
    fc.integer({ min, max: Math.min(max, min + 100) }),
    fc.maxSafeInteger().map((drawn) => min + (Math.abs(drawn) % (max - min + 1))),
    fc.constantFrom(min, max),
  );
}

const usualTimes = ['2026-01-01T09:00:00Z', '2026-03-01T09:00:00.000+08:00', '2025-12-31T00:00:00.000Z'];
const usualAddresses = ['https://shop.example.com/hook', 'https://93.184.216.34/hook?x=1'];

function ofString(schema: JsonFields): fc.Arbitrary<JsonValue> {
  if (schema['format'] === 'date-time') return fc.constantFrom(...usualTimes);
  if (schema['format'] === 'uri') return fc.constantFrom(...usualAddresses);
  const minLength = numberIn(schema, 'minLength') ?? 0;
  const maxLength = Math.max(minLength, Math.min(numberIn(schema, 'maxLength') ?? 40, 40));
  const longest = numberIn(schema, 'maxLength') ?? 300;
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : undefined;
  const fits = (text: string) =>
    text.length >= minLength && text.length <= longest && (pattern === undefined || pattern.test(text));
  const odd = oddStrings.filter(fits);
  const isOpen = pattern === undefined || pattern.test('é a');
  const usual = isOpen
    ? fc.string({ minLength, maxLength, unit: 'grapheme' }).filter(fits)
    : fc.stringMatching(new RegExp(pattern.source)).filter(fits);
  return odd.length === 0 ? usual : fc.oneof({ arbitrary: usual, weight: 4 }, fc.constantFrom(...odd));
}

function ofArray(schema: JsonFields, within: Within): fc.Arbitrary<JsonValue> {
  const minLength = numberIn(schema, 'minItems') ?? 0;
  const maxLength = Math.max(minLength, Math.min(numberIn(schema, 'maxItems') ?? 3, 3));
  return fc.array(within(schema['items'] ?? {}), { minLength, maxLength }).map(asJson);
}

function ofObject(schema: JsonFields, within: Within): fc.Arbitrary<JsonValue> {
  const properties = isFields(schema['properties']) ? schema['properties'] : {};
  const named = Object.entries(properties).map(([name, inner]): [string, fc.Arbitrary<JsonValue>] => [
    name,
    within(inner, name),
  ]);
  const requiredKeys = listOf(schema['required']).filter((name) => typeof name === 'string' && name in properties);
  const record = fewOrMany(Object.fromEntries(named), requiredKeys.map(String));
  const free = schema['additionalProperties'];
  if (!isFields(free)) return record.map(asJson);
  const extra = fc.dictionary(keysOf(schema), within(free), { maxKeys: 3, noNullPrototype: true });
  return fc.tuple(record, extra).map(([fields, more]) => asJson({ ...more, ...fields }));
}

/** Generates an optional part in half of the cases, because many optional parts exclude each other. */
export function fewOrMany<Value>(
  fields: Record<string, fc.Arbitrary<Value>>,
  requiredKeys: readonly string[],
): fc.Arbitrary<Record<string, Value>> {
  const needed = Object.entries(fields).filter(([name]) => requiredKeys.includes(name));
  const many = fc.subarray(Object.keys(fields).filter((name) => !requiredKeys.includes(name)));
  const chosen = (names: readonly string[]) =>
    fc.record(Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name))));
  return fc.oneof(
    fc.record(Object.fromEntries(needed)),
    many.chain((names) => chosen([...requiredKeys, ...names])),
  );
}

function keysOf(schema: JsonFields): fc.Arbitrary<string> {
  const names = isFields(schema['propertyNames']) ? schema['propertyNames'] : {};
  return ofString(names).map(String);
}

function numberIn(schema: JsonFields, name: string): number | undefined {
  return typeof schema[name] === 'number' ? schema[name] : undefined;
}

const listOf = (value: JsonValue | undefined): JsonValue[] => (Array.isArray(value) ? value : []);

/** Generates any JSON, including texts that are templates of calls. */
function anyJson(): fc.Arbitrary<JsonValue> {
  const templates = fc.constantFrom('{{attempt}}', '{{key}}', '{{nobody}}');
  return fc.oneof({ arbitrary: fc.jsonValue({ maxDepth: 1 }).map(asJson), weight: 4 }, templates);
}

/** Returns the value as it arrives: -0 is 0, and objects have the usual prototype. */
function asJson(value: unknown): JsonValue {
  return z.json().parse(JSON.parse(JSON.stringify(value)));
}
