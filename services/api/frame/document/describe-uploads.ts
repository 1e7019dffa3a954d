import { fieldsOf } from './prune-components.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Bodies that the route reads as a stream, described by media type. */
    uploads?: Readonly<Record<string, string>>;
  }
}

/** Keyword of an operation that holds its uploads until `describeUploads` turns them into bodies. */
export const uploadsKey = 'x-uploads';

/** Adds to the body of each operation the media types that its route reads as a stream. */
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
