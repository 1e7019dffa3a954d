import { isOptionsReference, optionsKeyword } from './option-sources.ts';
import { patternProblem } from './pattern-cost.ts';
import { kindOf, knownKeywords, type KeywordKind } from './schema-keywords.ts';

/**
 * Rules for JSON Schemas (2020-12) of action parameters. Only a subset that cannot harm the validating process is
 * allowed: nothing is fetched, schemas are not recursive, and validation has a bounded cost.
 */
export const schemaDialect = 'https://json-schema.org/draft/2020-12/schema';

/** Formats with checks in linear time. */
export const paramsFormats = ['date-time', 'date', 'time', 'duration', 'email', 'uri', 'uuid', 'ipv4', 'ipv6'] as const;

const maxBytes = 16 * 1024;
const maxDepth = 16;
/** Maximum number of schemas after references are expanded: a short schema can expand to a long one. */
const maxSchemas = 500;
/** Limit for `uniqueItems`, which compares every pair. */
const maxUniqueItems = 1000;

const types = ['object', 'array', 'string', 'number', 'integer', 'boolean', 'null'];
const ownRef = /^#\/\$defs\/([A-Za-z0-9._-]+)$/;

export interface SchemaProblem {
  path: readonly (string | number)[];
  /** Rest of a sentence that begins with the path. */
  message: string;
  value: unknown;
}

type Path = SchemaProblem['path'];
type Fields = Readonly<Record<string, unknown>>;

export function paramsSchemaProblems(schema: unknown): SchemaProblem[] {
  const bytes = Buffer.byteLength(JSON.stringify(schema ?? null));
  if (bytes > maxBytes) return [{ path: [], message: `has to be at most ${maxBytes} bytes of JSON`, value: schema }];
  const problems = schemaProblems(schema, [], isFields(schema) ? schema['$defs'] : undefined);
  return problems.length > 0 ? problems : sizeProblems(schema);
}

function schemaProblems(schema: unknown, path: Path, defs: unknown): SchemaProblem[] {
  if (typeof schema === 'boolean' && path.length > 0) return [];
  if (!isFields(schema)) {
    return [
      { path, message: `has to be a schema: an object${path.length > 0 ? ', true or false' : ''}`, value: schema },
    ];
  }
  if (path.length > 2 * maxDepth)
    return [{ path, message: `is nested deeper than ${maxDepth} schemas`, value: schema }];
  return [
    ...Object.entries(schema).flatMap(([keyword, value]) => keywordProblems(keyword, value, [...path, keyword], defs)),
    ...uniqueProblems(schema, path),
    ...optionsProblems(schema, path),
  ];
}

function keywordProblems(keyword: string, value: unknown, path: Path, defs: unknown): SchemaProblem[] {
  const kind = kindOf(keyword);
  if (kind === undefined) {
    return [{ path, message: `is not accepted here; known are ${knownKeywords.join(', ')}`, value }];
  }
  if (keyword === '$defs' && path.length > 1)
    return [{ path, message: 'has to stand at the top of the schema', value }];
  const inner = (schema: unknown, key: string | number) => schemaProblems(schema, [...path, key], defs);
  switch (kind) {
    case 'schema':
      return schemaProblems(value, path, defs);
    case 'schema-list':
      return Array.isArray(value) && value.length > 0 ? value.flatMap(inner) : wrong(path, value, 'a list of schemas');
    case 'schemas-by-name':
    case 'schemas-by-pattern': {
      if (!isFields(value)) return wrong(path, value, 'an object with a schema for each name');
      return Object.entries(value).flatMap(([name, schema]) => {
        const problem = kind === 'schemas-by-pattern' ? patternProblem(name) : undefined;
        return [...(problem === undefined ? [] : [{ path, message: problem, value: name }]), ...inner(schema, name)];
      });
    }
    case 'ref':
      return refProblems(value, path, defs);
    case 'pattern': {
      const problem = typeof value === 'string' ? patternProblem(value) : 'has to be a regular expression';
      return problem === undefined ? [] : [{ path, message: problem, value }];
    }
    default: {
      const right = rightValue(kind, value);
      return right === undefined ? [] : wrong(path, value, right);
    }
  }
}

function rightValue(
  kind: Exclude<KeywordKind, 'schema' | 'schema-list' | 'schemas-by-name' | 'schemas-by-pattern' | 'ref' | 'pattern'>,
  value: unknown,
): string | undefined {
  const unless = (isRight: boolean, right: string) => (isRight ? undefined : right);
  switch (kind) {
    case 'anything':
      return undefined;
    case 'boolean':
      return unless(typeof value === 'boolean', 'true or false');
    case 'count':
      return unless(Number.isSafeInteger(value) && Number(value) >= 0, 'a whole number from 0');
    case 'dialect':
      return unless(value === schemaDialect, schemaDialect);
    case 'format':
      return unless(
        paramsFormats.some((known) => known === value),
        paramsFormats.join(' or '),
      );
    case 'list':
      return unless(Array.isArray(value) && value.length > 0, 'a list of values');
    case 'names':
      return unless(isNames(value), 'a list of names, each once');
    case 'names-by-name':
      return unless(
        isFields(value) && Object.values(value).every(isNames),
        'an object with a list of names for each name',
      );
    case 'number':
      return unless(typeof value === 'number', 'a number');
    case 'options':
      return unless(
        isOptionsReference(value),
        'an http:// or https:// URL, or a path relative to the endpoint’s, without user, password and fragment',
      );
    case 'positive':
      return unless(typeof value === 'number' && value > 0, 'a number above 0');
    case 'text':
      return unless(typeof value === 'string', 'a text');
    case 'type':
      return unless(isTypes(value), `${types.join(' or ')}, or a list of them`);
  }
}

function uniqueProblems(schema: Fields, path: Path): SchemaProblem[] {
  const { uniqueItems, maxItems } = schema;
  if (uniqueItems !== true || (typeof maxItems === 'number' && maxItems <= maxUniqueItems)) return [];
  return [
    { path: [...path, 'uniqueItems'], message: `needs maxItems of at most ${maxUniqueItems} beside it`, value: true },
  ];
}

function optionsProblems(schema: Fields, path: Path): SchemaProblem[] {
  const { [optionsKeyword]: value, type } = schema;
  if (value === undefined) return [];
  const place = [...path, optionsKeyword];
  if (!isParameter(path)) {
    return [{ path: place, message: 'has to stand at a parameter: a schema in properties, or in $defs', value }];
  }
  if (type === 'string' || type === 'number' || type === 'integer') return [];
  return [{ path: place, message: 'needs the type string, number or integer beside it', value }];
}

/** Returns true for `properties/a/properties/b`, or the same in a referenced part. */
function isParameter(path: Path): boolean {
  return (
    path.length > 0 && path.every((word, at) => at % 2 === 1 || word === 'properties' || (at === 0 && word === '$defs'))
  );
}

function refProblems(value: unknown, path: Path, defs: unknown): SchemaProblem[] {
  const name = nameIn(value);
  if (name === undefined) {
    const message =
      'has to be #/$defs/<name>, a part of this schema: nothing is fetched, and nothing refers to the whole';
    return [{ path, message, value }];
  }
  if (isFields(defs) && Object.hasOwn(defs, name)) return [];
  return [{ path, message: `refers to what is not there: $defs has no ${name}`, value }];
}

/** Checks the size of the schema with its references expanded. Expects a schema that is otherwise valid. */
function sizeProblems(schema: unknown): SchemaProblem[] {
  const defs = isFields(schema) && isFields(schema['$defs']) ? schema['$defs'] : {};
  const known = new Map<string, number>();
  const open = new Set<string>();
  let circle: string | undefined;

  function sizeOf(value: unknown): number {
    if (!isFields(value)) return 1;
    const sizes = Object.entries(value).map(([keyword, each]) => (keyword === '$defs' ? 0 : sizeBelow(keyword, each)));
    return sizes.reduce((sum, size) => sum + size, 1);
  }

  function sizeBelow(keyword: string, value: unknown): number {
    switch (kindOf(keyword)) {
      case 'schema':
        return sizeOf(value);
      case 'schema-list':
      case 'schemas-by-name':
      case 'schemas-by-pattern':
        return Object.values(value ?? {}).reduce<number>((sum, schema) => sum + sizeOf(schema), 0);
      case 'ref':
        return sizeOfRef(nameIn(value) ?? '');
      default:
        return 0;
    }
  }

  function sizeOfRef(name: string): number {
    const size = known.get(name);
    if (size !== undefined) return size;
    if (open.has(name)) {
      circle = name;
      return 0;
    }
    open.add(name);
    const found = sizeOf(defs[name]);
    open.delete(name);
    known.set(name, found);
    return found;
  }

  const size = Object.keys(defs).reduce((sum, name) => Math.max(sum, sizeOfRef(name)), sizeOf(schema));
  if (circle !== undefined) {
    return [{ path: ['$defs', circle], message: 'contains itself, and parameters are not that deep', value: circle }];
  }
  if (size <= maxSchemas) return [];
  return [{ path: [], message: `has more than ${maxSchemas} parts, with all it refers to written out`, value: schema }];
}

function nameIn(ref: unknown): string | undefined {
  return typeof ref === 'string' ? ownRef.exec(ref)?.[1] : undefined;
}

function wrong(path: Path, value: unknown, right: string): SchemaProblem[] {
  return [{ path, message: `has to be ${right}`, value }];
}

function isTypes(value: unknown): boolean {
  const named: unknown[] = Array.isArray(value) ? value : [value];
  return (
    named.length > 0 &&
    new Set(named).size === named.length &&
    named.every((type) => types.some((known) => known === type))
  );
}

function isNames(value: unknown): boolean {
  return (
    Array.isArray(value) && value.every((name) => typeof name === 'string') && new Set(value).size === value.length
  );
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
