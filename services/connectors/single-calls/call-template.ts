/**
 * Matches variables in the templates of a call, such as `{{user}}` or `{{params.text}}`. A variable is replaced by its
 * value, and `{{{{` by two braces. If a text in a body is a single variable, it becomes the value itself: a number
 * stays a number.
 */
const places = /\{\{\{\{|\{\{ *([A-Za-z]+(?:\.[\w-]+)*) *\}\}|\{\{/g;
const onePlace = /^\{\{ *([A-Za-z]+(?:\.[\w-]+)*) *\}\}$/;

export type Json = string | number | boolean | null | Json[] | { [field: string]: Json };

/** Values that are the same for all users of a call. */
export interface CallValues {
  campaign: string;
  run: string;
  step: number;
  country: string;
  params: Readonly<Record<string, unknown>>;
}

/** Values of one user in a call. */
export interface UserValues {
  user: string;
  /** UUID that identifies this user's call, and is the same in all repeats. */
  key: string;
  attributes: Readonly<Record<string, unknown>>;
}

/**
 * Name of a field for lists: an object with only this field is replaced by a list with one entry for each user of the
 * call.
 */
export const forEachUser = 'forEachUser';

export const namesOfCall = ['campaign', 'run', 'step', 'country', 'params'] as const;
export const namesOfUser = ['user', 'key', 'attributes'] as const;

/** A variable without a value: its parameter or attribute is absent or null. */
export class MissingValueError extends Error {
  override readonly name = 'MissingValueError';
  /** Name of the variable, such as `attributes.phone`. */
  readonly missing: string;

  constructor(missing: string) {
    super(`{{${missing}}} has no value`);
    this.missing = missing;
  }
}

/**
 * Replaces the variables of a text.
 * @param write escapes a value for its context, such as a URL
 * @throws {MissingValueError}
 */
export function fillText(template: string, values: object, write = (value: string) => value): string {
  return template.replace(places, (_, name: string | undefined) => {
    if (name === undefined) return '{{';
    return write(textOf(valueOf(values, name)));
  });
}

/** Replaces the variables in a part of a URL, with values encoded for URLs. */
export function fillUrl(template: string, values: object): string {
  // The dots of `.` and `..` are encoded, because such a path segment would be resolved as a relative path.
  return fillText(template, values, (value) =>
    /^\.{1,2}$/.test(value) ? value.replaceAll('.', '%2E') : encodeURIComponent(value.toWellFormed()),
  );
}

/**
 * Replaces the variables in a header value. Characters that are not printable ASCII become question marks, such as line
 * breaks.
 */
export function fillHeader(template: string, values: object): string {
  return fillText(template, values).replace(/[^\t\x20-\x7e]/g, '?');
}

/**
 * Replaces the variables in the texts of a body, and repeats the value of `forEachUser` for each user.
 * @throws {MissingValueError}
 */
export function fillBody(body: Json, shared: object, users: readonly UserValues[]): unknown {
  if (typeof body === 'string') {
    const name = onePlace.exec(body)?.[1];
    return name === undefined ? fillText(body, shared) : valueOf(shared, name);
  }
  if (Array.isArray(body)) return body.map((each) => fillBody(each, shared, users));
  if (typeof body !== 'object' || body === null) return body;
  const each = body[forEachUser];
  if (each !== undefined) return users.map((user) => fillBody(each, { ...shared, ...user }, [user]));
  return Object.fromEntries(Object.entries(body).map(([field, value]) => [field, fillBody(value, shared, users)]));
}

/** Returns the names of the variables in a text; undefined for two braces that are not followed by a name. */
export function namesIn(template: string): (string | undefined)[] {
  return [...template.matchAll(places)].flatMap(([written, name]) => (written === '{{{{' ? [] : [name]));
}

function valueOf(values: object, name: string): unknown {
  let value: unknown = values;
  for (const part of name.split('.')) value = fieldOf(value, part);
  if (value === undefined || value === null) throw new MissingValueError(name);
  return value instanceof Date ? value.toISOString() : value;
}

export function fieldOf(value: unknown, field: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, field)) return undefined;
  const found: unknown = Reflect.get(value, field);
  return found;
}

/** Returns a text unchanged, and any other value as JSON. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
