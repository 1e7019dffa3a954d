import swagger from '@fastify/swagger';
import type { FastifyContextConfig } from 'fastify';
import swaggerUi from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { HttpServer } from './create-http-server.ts';
import { describeAnswers } from './describe-answers.ts';
import { pruneComponents } from './prune-components.ts';
import { withUsualProblems } from './usual-problems.ts';

export interface DocumentedApi {
  title: string;
  version: string;
  description: string;
  /** Empty, or the path below which everything is. */
  basePath: string;
  tags: { name: string; description: string }[];
  /** Adds what the shapes of the routes do not say, to a copy. */
  amend: (document: unknown) => void;
  /** What it adds goes by: while this stays, so does the document. */
  asOf: () => string;
}

/**
 * `/openapi.json`, written from the shapes of the routes that are registered after this, and `/docs` to read and try
 * it. Routes need an API key unless their `security` says otherwise.
 */
export async function documentRoutes(
  server: HttpServer,
  { title, version, description, basePath, tags, amend, asOf }: DocumentedApi,
): Promise<void> {
  await server.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title, version, description },
      tags,
      servers: [{ url: basePath || '/', description: 'Where this document came from' }],
      security: [{ apiKey: [] }, { session: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'muster-session',
            description: 'Of POST /v1/session. What is no GET or HEAD needs X-CSRF-Token beside it',
          },
        },
      },
    },
    transform: (described) => {
      const schema = withUsualProblems(described.schema, described.route);
      return withRole(jsonSchemaTransform({ ...described, schema }), described.route.config ?? {});
    },
    transformObject: (document) => {
      const written = jsonSchemaTransformObject(document);
      pruneComponents(written);
      describeAnswers(written);
      return written;
    },
  });
  let written: { asOf: string; document: Record<string, unknown>; bytes: Buffer } | undefined;
  /** No key is needed to ask for it, and it costs 15 ms: it is written once. */
  function current() {
    const now = asOf();
    if (written?.asOf === now) return written;
    const document: Record<string, unknown> = { ...structuredClone(server.swagger()) };
    amend(document);
    written = { asOf: now, document, bytes: Buffer.from(JSON.stringify(document)) };
    return written;
  }

  await server.register(swaggerUi, {
    routePrefix: '/docs',
    theme: { title },
    // Without the bar on top, which offers to explore other documents under another's logo.
    uiConfig: { layout: 'BaseLayout' },
    transformSpecification: () => current().document,
    transformSpecificationClone: false,
    staticCSP: {
      'default-src': "'self'",
      'img-src': "'self' data:",
      'style-src': ["'self'", "'unsafe-inline'"],
      'object-src': "'none'",
      'base-uri': "'none'",
      'frame-ancestors': "'none'",
    },
  });
  server.get('/openapi.json', { schema: { hide: true } }, (_request, reply) => {
    reply.type('application/json; charset=utf-8');
    return reply.send(current().bytes);
  });
}

/** Says in the document which role a route needs, and how a scope applies; `describeAnswers` adds its refusal. */
function withRole(written: ReturnType<typeof jsonSchemaTransform>, { role, scope }: FastifyContextConfig) {
  if (role === undefined || role === 'anybody') return written;
  const said = { 'x-required-role': [role].flat().join(' or '), 'x-scope': scope };
  return { ...written, schema: { ...written.schema, ...said } };
}
