import { optionsKeyword } from './option-sources.ts';

export type KeywordKind =
  | 'anything'
  | 'boolean'
  /** Whole number from 0. */
  | 'count'
  | 'dialect'
  | 'format'
  | 'list'
  | 'names'
  | 'names-by-name'
  | 'number'
  /** URL from which a form reads the allowed values, or a path relative to another URL. */
  | 'options'
  | 'pattern'
  | 'positive'
  | 'ref'
  | 'schema'
  | 'schema-list'
  | 'schemas-by-name'
  | 'schemas-by-pattern'
  | 'text'
  | 'type';

/**
 * Keywords of JSON Schema 2020-12 for parameters. Excluded: keywords that name a schema for others (`$id`, `$anchor`),
 * that depend on the place of use (`$dynamicRef`), or that do not constrain the value (`content…`). The source of
 * options is our own keyword.
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
