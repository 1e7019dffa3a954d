import { patternInWords } from './pattern-words.ts';

/** A form for a value that a JSON Schema describes: which fields it has, and what of the schema they cannot say. */

export type Json = string | number | boolean | null | Json[] | { [name: string]: Json };

export type SchemaField = LeafField | GroupField;

interface FieldFacts {
  /** JSON pointer of its value within what the schema describes, such as `/rewardId`. */
  pointer: string;
  label: string;
  /** What it is for, and what it has to be. */
  hint: string;
  required: boolean;
  /** Its value as text, where the schema names one. */
  initial: string;
  placeholder: string;
  isDeprecated: boolean;
  /** Where its schema says that a team lists what it may be; empty where it says nothing. */
  listedAt: string;
}

export type LeafField = FieldFacts &
  (
    | { kind: 'text' }
    | { kind: 'number'; isWhole: boolean }
    | { kind: 'boolean' }
    /** Values as JSON texts: what is chosen keeps its type. */
    | { kind: 'choice'; options: readonly { value: string; label: string }[] }
    /** One value a line. */
    | { kind: 'list'; of: 'text' | 'number' }
    /** What no other field can say: as JSON, beside its schema. */
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

/** Names where a team lists what a parameter may be. */
const optionsWord = 'x-options';
const notes = [
  ...['$schema', '$comment', '$defs', 'title', 'description', 'default', 'examples', 'deprecated', 'type', optionsWord],
];
const objectWords = [...notes, 'properties', 'required', 'additionalProperties', 'unevaluatedProperties'];
const textWords = [...notes, 'minLength', 'maxLength', 'pattern', 'format'];
const numberWords = [...notes, 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const listWords = [...notes, 'items', 'minItems', 'maxItems', 'uniqueItems'];
const maxDepth = 3;

/**
 * The fields of a schema; null where it says more than fields can, or there is none: then all of the value is written
 * as JSON.
 */
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
  // What is needed stands first; within that, as the schema has it.
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
  const said = textIn(schema['description']);
  const ruled = rules.join(', ');
  const examples: unknown[] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  const [example] = examples;
  return {
    pointer,
    label: labelOf(schema, name),
    hint: [said, ruled === '' ? '' : capital(ruled)].filter((text) => text !== '').join('. '),
    required,
    initial: schema['default'] === undefined ? '' : textOf(schema['default']),
    placeholder: example === undefined ? '' : `such as ${textOf(example)}`,
    isDeprecated: schema['deprecated'] === true,
    listedAt: textIn(schema[optionsWord]),
  };
}

/** One of these: an enum of plain values, a constant, or alternatives that are constants with titles. */
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
  const shape = pattern === undefined ? '' : patternInWords(textIn(pattern));
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

/** `1,000,000`, as all numbers are shown. */
function boundText(value: unknown): string {
  return typeof value === 'number' ? value.toLocaleString('en-US', { maximumFractionDigits: 20 }) : textOf(value);
}

function listRules({ minItems, maxItems, uniqueItems }: Schema): string[] {
  return [
    'one a line',
    minItems === undefined ? '' : `at least ${textOf(minItems)}`,
    maxItems === undefined ? '' : `at most ${textOf(maxItems)}`,
    uniqueItems === true ? 'each once' : '',
  ].filter((rule) => rule !== '');
}

/** What a reference refers to, with what is said beside it. */
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

/** `rewardId` as `Reward id`, where the schema gives it no title. */
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

/** A value as it stands in a field. */
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

/** All that are no groups, in order. */
export function leavesOf(fields: readonly SchemaField[]): LeafField[] {
  return fields.flatMap((field) => (field.kind === 'group' ? leavesOf(field.fields) : field));
}
