import { optionsKeyword } from './option-sources.ts';

/** What the value of a keyword of JSON Schema has to be. */
export type KeywordKind =
  | 'anything'
  | 'boolean'
  /** A whole number from 0. */
  | 'count'
  | 'dialect'
  | 'format'
  | 'list'
  | 'names'
  | 'names-by-name'
  | 'number'
  /** A URL, or a path relative to another one. */
  | 'options'
  | 'pattern'
  /** A number above 0. */
  | 'positive'
  | 'ref'
  | 'schema'
  | 'schema-list'
  | 'schemas-by-name'
  | 'schemas-by-pattern'
  | 'text'
  | 'type';

/**
 * The keywords of 2020-12 that may describe parameters. Left out is what would name a schema for others (`$id`,
 * `$anchor`), refer to it from wherever it is used (`$dynamicRef`), or says nothing of the value (`content…`). One is
 * ours: where options are asked for.
 */
const kinds: Readonly<Record<string, KeywordKind>> = {
  $schema: 'dialect',
  $comment: 'text',
  title: 'text',
  description: 'text',
  default: 'anything',
  examples: 'list',
  deprecated: 'boolean',
  [optionsKeyword]: 'options',
  type: 'type',
  enum: 'list',
  const: 'anything',
  minimum: 'number',
  maximum: 'number',
  exclusiveMinimum: 'number',
  exclusiveMaximum: 'number',
  multipleOf: 'positive',
  minLength: 'count',
  maxLength: 'count',
  pattern: 'pattern',
  format: 'format',
  minItems: 'count',
  maxItems: 'count',
  uniqueItems: 'boolean',
  items: 'schema',
  prefixItems: 'schema-list',
  contains: 'schema',
  minContains: 'count',
  maxContains: 'count',
  unevaluatedItems: 'schema',
  properties: 'schemas-by-name',
  patternProperties: 'schemas-by-pattern',
  additionalProperties: 'schema',
  unevaluatedProperties: 'schema',
  propertyNames: 'schema',
  required: 'names',
  minProperties: 'count',
  maxProperties: 'count',
  dependentRequired: 'names-by-name',
  dependentSchemas: 'schemas-by-name',
  allOf: 'schema-list',
  anyOf: 'schema-list',
  oneOf: 'schema-list',
  not: 'schema',
  if: 'schema',
  then: 'schema',
  else: 'schema',
  $ref: 'ref',
  $defs: 'schemas-by-name',
};

export const knownKeywords: readonly string[] = Object.keys(kinds);

export function kindOf(keyword: string): KeywordKind | undefined {
  return Object.hasOwn(kinds, keyword) ? kinds[keyword] : undefined;
}
