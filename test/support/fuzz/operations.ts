import { z } from 'zod';

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  required: z.boolean().default(false),
  description: z.string().default(''),
  schema: z.json(),
});
const withContent = z.object({ content: z.record(z.string(), z.object({ schema: z.json() })).default({}) });
const operationShape = z.object({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: withContent.optional(),
  responses: z.record(z.string(), withContent.extend({ headers: z.record(z.string(), z.unknown()).default({}) })),
  /** Conditions of refusals with 422 that the schemas cannot express, by code. */
  'x-refusals': z.record(z.string(), z.string()).default({}),
  /** Empty if the operation needs no key. */
  security: z.array(z.unknown()).optional(),
});
const methodOf = z.enum(['get', 'post', 'put', 'patch', 'delete']);
const documentShape = z.looseObject({
  paths: z.record(z.string(), z.partialRecord(methodOf, operationShape)),
  components: z.looseObject({ schemas: z.record(z.string(), z.json()) }),
});

export type OpenApiDocument = z.infer<typeof documentShape>;
export type Parameter = z.infer<typeof parameter>;

/** Description of one method of one path in an OpenAPI document. */
export interface Operation extends z.infer<typeof operationShape> {
  method: Uppercase<z.infer<typeof methodOf>>;
  /** Path with its parameters in braces. */
  path: string;
  /** Location in the document. */
  pointer: readonly string[];
}

export const readDocument = (document: unknown): OpenApiDocument => documentShape.parse(document);

const order = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns the operations of a document. Operations that delete come last, so that the others have existing objects. */
export function operationsOf({ paths }: OpenApiDocument): Operation[] {
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([name, operation]): Operation => {
      const method = methodOf.parse(name);
      return { ...operation, path, method: upperCase(method), pointer: ['paths', path, method] };
    }),
  );
  return all.sort((one, other) => order.indexOf(one.method) - order.indexOf(other.method));
}

const upper = { get: 'GET', post: 'POST', put: 'PUT', patch: 'PATCH', delete: 'DELETE' } as const;
const upperCase = (method: z.infer<typeof methodOf>) => upper[method];
