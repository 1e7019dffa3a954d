import { describePattern } from './pattern-words.ts';

/** Converts a JSON Schema into the fields of a form. A schema that needs more than fields is edited as JSON. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export type SchemaField = LeafField | GroupField;

interface FieldFacts {
  /** JSON pointer of the value, such as `/rewardId`. */
  pointer: string;
  label: string;
  hint: string;
  required: boolean;
  /** Initial text: the default of the schema, or empty if there is none. */
  initial: string;
  placeholder: string;
  isDeprecated: boolean;
  /** Path of the endpoint that lists the options of a parameter; empty if the schema names none. */
  listedAt: string;
}

export type LeafField = FieldFacts &
  (
    | { kind: 'text' }
    | { kind: 'number'; isWhole: boolean }
    | { kind: 'boolean' }
    /** Options with their values as JSON, so that a chosen value keeps its type. */
    | { kind: 'choice'; options: readonly { value: string; label: string }[] }
    /** A list with one value per line. */
    | { kind: 'list'; of: 'text' | 'number' }
    /** Any other value, edited as JSON beside its schema. */
    | { kind: 'json'; schema: unknown }
  );

export interface GroupField {
  kind: 'group';
  pointer: string;
  label: string;
  hint: string;
  fields: readonly SchemaField[];
}

type Schema = Readonly<Record<string, unknown>>;

/** JSON Schema keyword for the path of the endpoint that lists the options of a parameter. */
const optionsWord = 'x-options';
const notes = [
  ...['$schema', '$comment', '$defs', 'title', 'description', 'default', 'examples', 'deprecated', 'type', optionsWord],
];
const objectWords = [...notes, 'properties', 'required', 'additionalProperties', 'unevaluatedProperties'];
const textWords = [...notes, 'minLength', 'maxLength', 'pattern', 'format'];
const numberWords = [...notes, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const listWords = [...notes, 'items', 'minItems', 'maxItems', 'uniqueItems'];
const maxDepth = 3;

/** Returns the fields of a schema; null if fields cannot express it, and the value is edited as JSON. */
export function fieldsOf(schema: unknown): readonly SchemaField[] | null {
  if (!isSchema(schema)) return null;
  const fields = propertiesOf(schema, '', isSchema(schema['$defs']) ? schema['$defs'] : {}, 1);
  return fields === null || fields.length === 0 ? null : fields;
}

function propertiesOf(schema: Schema, pointer: string, defs: Schema, depth: number): readonly SchemaField[] | null {
  const { properties } = schema;
  const isObject = schema['type'] === undefined || schema['type'] === 'object';
  if (!isObject || !isSchema(properties) || !saysOnly(schema, objectWords) || depth > maxDepth) return null;
  const required = namesIn(schema['required']);
  // Required fields come first; otherwise, fields are in the order of the schema.
  const named = Object.entries(properties).toSorted(([a], [b]) => Number(required.has(b)) - Number(required.has(a)));
  return named.map(([name, inner]) =>
    fieldOf(resolved(inner, defs), `${pointer}/${escaped(name)}`, name, { required: required.has(name), defs, depth }),
  );
}

interface Place {
  required: boolean;
  defs: Schema;
  depth: number;
}

function fieldOf(schema: unknown, pointer: string, name: string, { required, defs, depth }: Place): SchemaField {
  if (!isSchema(schema)) return { ...factsOf({}, pointer, name, required, []), kind: 'json', schema };
  const inner = propertiesOf(schema, pointer, defs, depth + 1);
  if (inner !== null) {
    return { kind: 'group', pointer, label: labelOf(schema, name), hint: textIn(schema['description']), fields: inner };
  }
  const facts = (rules: readonly string[]) => factsOf(schema, pointer, name, required, rules);
  const options = optionsOf(schema);
  if (options !== null) return { ...facts([]), kind: 'choice', options };
  const { type } = schema;
  if (type === 'string' && saysOnly(schema, textWords)) return { ...facts(textRules(schema)), kind: 'text' };
  if ((type === 'number' || type === 'integer') && saysOnly(schema, numberWords)) {
    return { ...facts(numberRules(schema)), kind: 'number', isWhole: type === 'integer' };
  }
  if (type === 'boolean' && saysOnly(schema, notes)) return { ...facts([]), kind: 'boolean' };
  const of = type === 'array' && saysOnly(schema, listWords) ? itemKind(resolved(schema['items'], defs)) : null;
  if (of !== null) return { ...facts(listRules(schema)), kind: 'list', of };
  return { ...facts([]), kind: 'json', schema };
}

function factsOf(
  schema: Schema,
  pointer: string,
  name: string,
  required: boolean,
  rules: readonly string[],
): FieldFacts {
  const description = textIn(schema['description']);
  const ruled = rules.join(', ');
  const examples: unknown[] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const [example] = examples;
  return {
    pointer,
    label: labelOf(schema, name),
    hint: [description, ruled === '' ? '' : capital(ruled)].filter((text) => text !== '').join('. '),
    required,
    initial: schema['default'] === undefined ? '' : textOf(schema['default']),
    placeholder: example === undefined ? '' : `such as ${textOf(example)}`,
    isDeprecated: schema['deprecated'] === true,
    listedAt: textIn(schema[optionsWord]),
  };
}

/** Returns the options of an enum of plain values, a constant, or alternatives that are constants with titles. */
function optionsOf(schema: Schema): { value: string; label: string }[] | null {
  if (Array.isArray(schema['enum']) && saysOnly(schema, [...notes, 'enum'])) {
    const values: unknown[] = schema['enum'];
    return values.every(isPlain)
      ? values.map((value) => ({ value: JSON.stringify(value), label: textOf(value) }))
      : null;
  }
  if (schema['const'] !== undefined && saysOnly(schema, [...notes, 'const']) && isPlain(schema['const'])) {
    return [{ value: JSON.stringify(schema['const']), label: textOf(schema['const']) }];
  }
  const forms: unknown = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(forms) || !saysOnly(schema, [...notes, 'oneOf', 'anyOf'])) return null;
  const options = forms.map((form: unknown) => {
    if (!isSchema(form) || !isPlain(form['const']) || !saysOnly(form, [...notes, 'const'])) return null;
    return { value: JSON.stringify(form['const']), label: textIn(form['title']) || textOf(form['const']) };
  });
  const known = options.filter((option) => option !== null);
  return known.length === options.length ? known : null;
}

function itemKind(items: unknown): 'text' | 'number' | null {
  if (!isSchema(items)) return null;
  if (items['type'] === 'string' && saysOnly(items, textWords)) return 'text';
  const isNumber = items['type'] === 'number' || items['type'] === 'integer';
  return isNumber && saysOnly(items, numberWords) ? 'number' : null;
}

function textRules({ minLength, maxLength, pattern, format }: Schema): string[] {
  const [least, most] = [Number(minLength ?? 0), maxLength === undefined ? null : Number(maxLength)];
  const length =
    most !== null && least > 1
      ? `${least} to ${most} characters`
      : most !== null
        ? `at most ${most} characters`
        : least > 1
          ? `at least ${least} characters`
          : '';
  const shape = pattern === undefined ? '' : describePattern(textIn(pattern));
  return [length, format === undefined ? '' : textIn(format), shape].filter((rule) => rule !== '');
}

function numberRules(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  const bounds =
    minimum !== undefined && maximum !== undefined
      ? [`${boundText(minimum)} to ${boundText(maximum)}`]
      : [
          minimum === undefined ? '' : `at least ${boundText(minimum)}`,
          maximum === undefined ? '' : `at most ${boundText(maximum)}`,
        ];
  const strict = [
    exclusiveMinimum === undefined ? '' : `more than ${boundText(exclusiveMinimum)}`,
    exclusiveMaximum === undefined ? '' : `less than ${boundText(exclusiveMaximum)}`,
    multipleOf === undefined ? '' : `a multiple of ${boundText(multipleOf)}`,
  ];
  return [...bounds, ...strict].filter((rule) => rule !== '');
}

/** Formats a limit like all numbers of the console: `1,000,000`. */
function boundText(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 20 }) : textOf(value);
}

function listRules({ minItems, maxItems, uniqueItems }: Schema): string[] {
  return [
    'one per line',
    minItems === undefined ? '' : `at least ${textOf(minItems)}`,
    maxItems === undefined ? '' : `at most ${textOf(maxItems)}`,
    uniqueItems === true ? 'no duplicates' : '',
  ].filter((rule) => rule !== '');
}

/** Replaces a `$ref` by the schema that it refers to. Keywords beside the `$ref` are added and take precedence. */
function resolved(schema: unknown, defs: Schema, depth = 0): unknown {
  if (!isSchema(schema) || depth > 8) return schema;
  const { $ref: ref, ...beside } = schema;
  const name = typeof ref === 'string' ? /^#\/\$defs\/(.+)$/.exec(ref)?.[1] : undefined;
  const meant = name === undefined ? undefined : resolved(defs[name], defs, depth + 1);
  return isSchema(meant) ? { ...meant, ...beside } : schema;
}

function saysOnly(schema: Schema, words: readonly string[]): boolean {
  return Object.keys(schema).every((word) => words.includes(word));
}

/** Returns the title of the schema, else the name in words: `Reward id` for `rewardId`. */
function labelOf({ title }: Schema, name: string): string {
  if (typeof title === 'string' && title !== '') return title;
  const words = name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/[_-]+/g, ' ')
    .toLowerCase();
  return capital(words.trim() || name);
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value.trim().replace(/\.$/, '') : '';
}

export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  return JSON.stringify(value, null, isPlain(value) ? undefined : 2);
}

export function isPlain(value: unknown): value is string | number | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

export function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function namesIn(value: unknown): ReadonlySet<unknown> {
  return new Set(Array.isArray(value) ? value : []);
}

/** Returns all fields inside groups and outside, in order. */
export function leavesOf(fields: readonly SchemaField[]): LeafField[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leavesOf(field.fields) : field));
}
