import { z } from 'zod';
import { isFields, type JsonFields, type JsonValue } from './json.ts';
import type { OpenApiDocument, Operation } from './operations.ts';

/** Returns the schema itself, or the component that it refers to. Empty if there is none. */
export function resolved(schema: JsonValue, { components }: OpenApiDocument): JsonFields {
  if (!isFields(schema)) return {};
  const ref = schema['$ref'];
  const found = typeof ref === 'string' ? components.schemas[ref.replace('#/components/schemas/', '')] : schema;
  return found !== undefined && isFields(found) ? found : {};
}

/** Returns the schema of the JSON body of an operation. Undefined if the operation takes none. */
export function bodyOf({ requestBody }: Operation, document: OpenApiDocument): JsonFields | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  return schema === undefined || !isFields(schema) ? undefined : resolved(schema, document);
}

/** Returns the first example of a schema. Throws if the schema has none. */
export function exampleOf(schema: JsonFields): JsonFields {
  const [example] = Array.isArray(schema['examples']) ? schema['examples'] : [];
  return z.record(z.string(), z.json()).parse(example);
}

/** Returns the names of fields at any depth of a schema. */
export function fieldsWithin(
  schema: JsonValue,
  document: OpenApiDocument,
  seen: ReadonlySet<string> = new Set(),
): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap((each) => fieldsWithin(each, document, seen));
  if (!isFields(schema)) return [];
  const ref = schema['$ref'];
  if (typeof ref === 'string')
    return seen.has(ref) ? [] : fieldsWithin(resolved(schema, document), document, new Set([...seen, ref]));
  const { properties, ...rest } = schema;
  const named = properties !== undefined && isFields(properties) ? Object.entries(properties) : [];
  const inner = named.flatMap(([name, each]) => [name, ...fieldsWithin(each, document, seen)]);
  return [...inner, ...fieldsWithin(Object.values(rest), document, seen)];
}
