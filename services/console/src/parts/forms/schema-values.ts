import type { Json } from './schema-fields.ts';
import { isPlain, isSchema, leavesOf, textOf, type LeafField, type SchemaField } from './schema-fields.ts';

/** Typed texts by pointer. An empty text is a missing value. The key `all` contains the whole value as JSON. */
export type FieldTexts = Readonly<Record<string, string>>;

export interface LocalProblem {
  pointer: string;
  detail: string;
}

/** The value of the typed fields, and the problems of texts that are not JSON. */
export interface TypedValue {
  value: Record<string, Json>;
  problems: LocalProblem[];
}

export const wholeValue = 'all';
/** Key of the text that contains, as JSON, the properties without a field. */
export const otherValues = 'other';

export function initialTexts(fields: readonly SchemaField[]): FieldTexts {
  return Object.fromEntries(
    leavesOf(fields).flatMap((field) => {
      const [only] = field.kind === 'choice' && field.required && field.options.length === 1 ? field.options : [];
      if (only) return [[field.pointer, only.value]];
      return field.initial === '' ? [] : [[field.pointer, initialOf(field)]];
    }),
  );
}

function initialOf(field: LeafField): string {
  if (field.kind !== 'choice') return field.initial;
  return field.options.find(({ label, value }) => value === field.initial || label === field.initial)?.value ?? '';
}

/** Builds the object from the texts of its fields, and omits empty fields. */
export function valueOfFields(fields: readonly SchemaField[], texts: FieldTexts): TypedValue {
  const problems: LocalProblem[] = [];
  const value = new Map<string, Json>();
  const other = parsed(texts[otherValues] ?? '');
  if (!other.ok) problems.push({ pointer: '', detail: other.detail });
  else if (isFields(other.value)) for (const [name, inner] of Object.entries(other.value)) value.set(name, inner);

  const put = (into: Map<string, Json>, field: SchemaField) => {
    const name = nameOf(field.pointer);
    if (field.kind === 'group') {
      const inner = new Map<string, Json>();
      for (const each of field.fields) put(inner, each);
      if (inner.size > 0) into.set(name, Object.fromEntries(inner));
      return;
    }
    const result = valueOf(field, texts[field.pointer] ?? '');
    if (!result.ok) problems.push({ pointer: field.pointer, detail: result.detail });
    else if (result.value !== undefined) into.set(name, result.value);
  };
  for (const field of fields) put(value, field);
  return { value: Object.fromEntries(value), problems };
}

/** Parses the object that is edited as JSON; empty if no text is typed. */
export function valueOfJson(text: string): TypedValue {
  const result = parsed(text);
  if (!result.ok) return { value: {}, problems: [{ pointer: '', detail: result.detail }] };
  if (result.value === undefined) return { value: {}, problems: [] };
  if (isFields(result.value)) return { value: result.value, problems: [] };
  return { value: {}, problems: [{ pointer: '', detail: 'has to be a JSON object, such as {"units": 2}' }] };
}

type ParseResult = { ok: true; value: Json | undefined } | { ok: false; detail: string };

function valueOf(field: LeafField, text: string): ParseResult {
  if (text === '') return { ok: true, value: undefined };
  switch (field.kind) {
    case 'text':
      return { ok: true, value: text };
    case 'number':
      return { ok: true, value: numberOr(text) };
    case 'boolean':
      return { ok: true, value: text === 'true' };
    case 'choice':
    case 'json':
      return parsed(text);
    case 'list': {
      const lines = text
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      return { ok: true, value: lines.length === 0 ? undefined : field.of === 'text' ? lines : lines.map(numberOr) };
    }
  }
}

/** Parses a number. A text that is not a number is sent unchanged: the API reports the expected format. */
export function numberOr(text: string): number | string {
  const plain = text.trim().replaceAll(/(?<=\d)[ ,](?=\d{3}\b)/g, '');
  return plain !== '' && Number.isFinite(Number(plain)) ? Number(plain) : text.trim();
}

function parsed(text: string): ParseResult {
  if (text.trim() === '') return { ok: true, value: undefined };
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value: isJson(value) ? value : undefined };
  } catch (error) {
    return { ok: false, detail: `is not valid JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

/** Returns the texts for a value; null if the fields cannot express it, because a part of it has another type. */
export function textsOf(fields: readonly SchemaField[], value: unknown): FieldTexts | null {
  if (!isSchema(value)) return null;
  const texts = new Map<string, string>();
  if (!fill(fields, value, texts)) return null;
  const names = new Set(fields.map(({ pointer }) => nameOf(pointer)));
  const others = Object.entries(value).filter(([name]) => !names.has(name));
  if (others.length > 0) texts.set(otherValues, JSON.stringify(Object.fromEntries(others), null, 2));
  return Object.fromEntries(texts);
}

function fill(fields: readonly SchemaField[], value: unknown, texts: Map<string, string>): boolean {
  if (!isSchema(value)) return value === undefined;
  return fields.every((field) => {
    const inner = value[nameOf(field.pointer)];
    if (inner === undefined) return true;
    if (field.kind === 'group') {
      const names = new Set(field.fields.map(({ pointer }) => nameOf(pointer)));
      const isKnown = isSchema(inner) && Object.keys(inner).every((name) => names.has(name));
      return isKnown && fill(field.fields, inner, texts);
    }
    const text = leafText(field, inner);
    if (text === null) return false;
    texts.set(field.pointer, text);
    return true;
  });
}

function leafText(field: LeafField, value: unknown): string | null {
  switch (field.kind) {
    case 'text':
      // An empty text would be omitted from the value.
      return typeof value === 'string' && value !== '' ? value : null;
    case 'number':
      return typeof value === 'number' ? String(value) : null;
    case 'boolean':
      return typeof value === 'boolean' ? String(value) : null;
    case 'choice':
      return field.options.find((option) => option.value === JSON.stringify(value))?.value ?? null;
    case 'list': {
      if (!Array.isArray(value) || value.length === 0) return null;
      const isRight = (each: unknown) => (field.of === 'text' ? isLine(each) : typeof each === 'number');
      return value.every(isRight) ? value.filter(isPlain).join('\n') : null;
    }
    case 'json':
      return textOf(typeof value === 'string' ? JSON.stringify(value) : value);
  }
}

function isLine(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && value === value.trim() && !value.includes('\n');
}

function nameOf(pointer: string): string {
  return (pointer.split('/').at(-1) ?? '').replaceAll('~1', '/').replaceAll('~0', '~');
}

/** Narrows the type of a result of JSON.parse, which is always JSON. */
function isJson(value: unknown): value is Json {
  return value !== undefined;
}

function isFields(value: Json | undefined): value is Record<string, Json> {
  return isSchema(value);
}
