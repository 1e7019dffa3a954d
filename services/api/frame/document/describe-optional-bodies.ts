import { z } from 'zod';
import { fieldsOf } from './prune-components.ts';

/** Keyword of an operation that marks an optional body until `describeOptionalBodies` has described it. */
export const optionalBodyKey = 'x-optional-body';

/** Returns true if a route accepts requests without a body, which Fastify validates as null. */
export function isOptional(body: unknown): boolean {
  return body instanceof z.ZodType && body.safeParse(null).success;
}

/** Marks optional bodies as not required: the package marks every body as required. */
export function describeOptionalBodies(document: unknown): void {
  for (const path of Object.values(fieldsOf(fieldsOf(document)['paths']))) {
    for (const operation of Object.values(fieldsOf(path)).map(fieldsOf)) {
      if (operation[optionalBodyKey] === undefined) continue;
      operation['requestBody'] = { ...fieldsOf(operation['requestBody']), required: false };
      Reflect.deleteProperty(operation, optionalBodyKey);
    }
  }
}
