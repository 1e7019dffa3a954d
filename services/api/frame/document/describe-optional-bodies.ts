import { z } from 'zod';
import { fieldsOf } from './prune-components.ts';

/** Keyword that marks an operation's body as optional until `describeOptionalBodies` replaces it. */
export const optionalBodyKey = 'x-optional-body';

/** Returns true if a route accepts requests without a body. Fastify validates a missing body as null. */
export function isOptional(body: unknown): boolean {
  return body instanceof z.ZodType && body.safeParse(null).success;
}

/** Describes optional bodies as not required, because the OpenAPI package describes every body as required. */
export function describeOptionalBodies(document: unknown): void {
  for (const path of Object.values(fieldsOf(fieldsOf(document)['paths']))) {
    for (const operation of Object.values(fieldsOf(path)).map(fieldsOf)) {
      if (operation[optionalBodyKey] === undefined) continue;
      operation['requestBody'] = { ...fieldsOf(operation['requestBody']), required: false };
      Reflect.deleteProperty(operation, optionalBodyKey);
    }
  }
}
