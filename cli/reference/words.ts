import { z } from 'zod';

/** Fields of a JSON schema that the pages use. */
const described = z.looseObject({
  description: z.string().optional(),
  /** Description of the default if a value cannot express it. */
  usual: z.string().optional(),
  default: z.unknown().optional(),
  type: z.string().optional(),
  enum: z.array(z.unknown()).optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  exclusiveMinimum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
});

export type Described = z.infer<typeof described>;

const objectOf = z.looseObject({
  properties: z.record(z.string(), z.unknown()),
  required: z.array(z.string()).default([]),
});

export interface DescribedField {
  name: string;
  isNeeded: boolean;
  schema: Described;
  /** Unparsed schema, which contains an object's fields. */
  whole: unknown;
}

export function fieldsOf(schema: unknown): DescribedField[] {
  const { properties, required } = objectOf.parse(schema);
  return Object.entries(properties).map(([name, whole]) => ({
    name,
    isNeeded: required.includes(name),
    schema: described.parse(whole),
    whole,
  }));
}

export function jsonSchemaOf(shape: z.ZodType): unknown {
  return z.toJSONSchema(shape, { io: 'input', unrepresentable: 'any' });
}

/** Describes the default: `30000`, `none`. */
export function defaultText({ isNeeded, schema }: Pick<DescribedField, 'isNeeded' | 'schema'>): string {
  if (schema.usual !== undefined) return schema.usual;
  if (isNeeded) return 'needed';
  return schema.default === undefined ? 'none' : code(schema.default);
}

/** Describes permitted values as a sentence; empty if the description covers them or any value is valid. */
export function permittedValuesText({ type, enum: among, ...bounds }: Described): string {
  if (among) return `One of ${among.map(code).join(', ')}.`;
  if (type === 'boolean') return '';
  const { minimum: least, maximum: most } = bounds;
  const noun = type === 'integer' ? 'A whole number' : 'A number';
  if (type === 'integer' || type === 'number') {
    if (least === undefined) return most === undefined ? '' : `${noun} up to ${figure(most)}.`;
    return most === undefined || most >= Number.MAX_SAFE_INTEGER
      ? `${noun} from ${figure(least)}.`
      : `${noun} from ${figure(least)} to ${figure(most)}.`;
  }
  const { minLength, maxLength } = bounds;
  if (type !== 'string' || maxLength === undefined) return '';
  return `${minLength === undefined ? 'Up to' : `${figure(minLength)} to`} ${figure(maxLength)} characters.`;
}

export function code(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

/** Adds a full stop if missing; an empty text stays empty. */
export function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`;
}

export function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join(' ');
}

function figure(value: number): string {
  return value.toLocaleString('en-US');
}
