import { fieldsOf } from './prune-components.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Descriptions of the bodies that the route reads as a stream, by media type. */
    uploads?: Readonly<Record<string, string>>;
  }
}

/** Keyword under which an operation has its uploads until `describeUploads` turns them into bodies. */
export const uploadsKey = 'x-uploads';

/** Adds the media types that a route reads as a stream to the body of its operation. */
export function describeUploads(document: unknown): void {
  for (const path of Object.values(fieldsOf(fieldsOf(document)['paths']))) {
    for (const operation of Object.values(fieldsOf(path)).map(fieldsOf)) {
      const { [uploadsKey]: uploads } = operation;
      if (uploads === undefined) continue;
      const contents = Object.entries(fieldsOf(uploads)).map(
        ([type, description]) => [type, { schema: { type: 'string', format: 'binary', description } }] as const,
      );
      const { content, ...body } = fieldsOf(operation['requestBody'] ?? { required: true });
      operation['requestBody'] = { ...body, content: { ...fieldsOf(content), ...Object.fromEntries(contents) } };
      Reflect.deleteProperty(operation, uploadsKey);
    }
  }
}
