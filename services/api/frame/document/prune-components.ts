/**
 * Cleans up an OpenAPI document in place. The type provider writes each registered shape twice, as input (`…Input`) and
 * as output, even if one of them is unused. This function removes components without references. It also allows
 * additional fields in objects of outputs: fields may be added later, and a generated client would otherwise refuse
 * them.
 */
export function pruneComponents(document: unknown): void {
  const paths = fieldsOf(fieldsOf(document)['paths']);
  const schemas = fieldsOf(fieldsOf(fieldsOf(document)['components'])['schemas']);
  const used = namesReached(paths, schemas);
  for (const [name, schema] of Object.entries(schemas)) {
    if (!used.has(name)) Reflect.deleteProperty(schemas, name);
    else if (!name.endsWith('Input')) openObjects(schema);
  }
  for (const path of Object.values(paths)) {
    for (const operation of Object.values(fieldsOf(path))) openObjects(fieldsOf(operation)['responses']);
  }
}

const prefix = '#/components/schemas/';

function namesReached(from: unknown, schemas: Record<string, unknown>): Set<string> {
  const reached = reachedFrom(from, schemas);
  return new Set(Object.keys(schemas).filter((name) => reached.has(schemas[name])));
}

/** Returns all values inside a value, including those in the components to which it refers. */
export function reachedFrom(from: unknown, schemas: Record<string, unknown>): Set<unknown> {
  const reached = new Set<unknown>();
  const open = [from];
  while (open.length > 0) {
    const value = open.pop();
    if (!isObject(value) || reached.has(value)) continue;
    reached.add(value);
    const { $ref } = value;
    if (typeof $ref === 'string' && $ref.startsWith(prefix)) open.push(schemas[$ref.slice(prefix.length)]);
    open.push(...Object.values(value));
  }
  return reached;
}

function openObjects(value: unknown): void {
  const fields = fieldsOf(value);
  if (fields['additionalProperties'] === false) Reflect.deleteProperty(fields, 'additionalProperties');
  Object.values(fields).forEach(openObjects);
}

/**
 * Returns a value as an object that can be changed. A list is returned as it is; a value of another type yields a new
 * empty object.
 */
export function fieldsOf(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
