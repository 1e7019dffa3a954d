import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { HttpServer } from '../server/create-http-server.ts';
import { HttpProblem } from '../http-problem.ts';
import { describeAnswers } from './describe-answers.ts';
import { withLimits } from './describe-heavy.ts';
import { describeRefusals } from './describe-refusals.ts';
import { describeUploads, uploadsKey } from './describe-uploads.ts';
import { refusalsKey } from '../../../../shared/contracts/stated-rules.ts';
import { packedBody, sendPacked, type PackedBody } from '../server/packed-body.ts';
import { fieldsOf, pruneComponents } from './prune-components.ts';
import { withUsualProblems } from './usual-problems.ts';

export interface DocumentedApi {
  title: string;
  version: string;
  description: string;
  /** Empty, or the path below which everything is. */
  basePath: string;
  /** Every tag that a route may have. */
  tags: { name: string; description: string }[];
  /** Adds what the shapes of the routes do not say, to a copy. */
  amend: (document: unknown) => void;
  /** What it adds goes by: while this stays, so does the document. */
  asOf: () => string;
}

/** The OpenAPI document of a server's routes. */
export interface ApiDocument {
  title: string;
  /** As it is now. It is written and packed once, and again when what amends it has changed: writing takes 15 ms. */
  current(): PackedBody;
}

/**
 * Describes the routes that are registered after this, from their shapes. They need an API key unless their `security`
 * says otherwise.
 */
export async function describeRoutes(
  server: HttpServer,
  { title, version, description, basePath, tags, amend, asOf }: DocumentedApi,
): Promise<ApiDocument> {
  requireDescribedTags(server, tags);
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
      const { config = {} } = described.route;
      return withRules(withRole(jsonSchemaTransform({ ...described, schema }), config), config);
    },
    transformObject: (document) => {
      const written = jsonSchemaTransformObject(document);
      pruneComponents(written);
      describeAnswers(written);
      describeUploads(written);
      describeRefusals(written);
      return written;
    },
  });
  let written: { asOf: string; packed: PackedBody } | undefined;
  return {
    title,
    current: () => {
      const now = asOf();
      if (written?.asOf === now) return written.packed;
      const document = structuredClone(server.swagger());
      amend(document);
      written = { asOf: now, packed: packedBody(Buffer.from(JSON.stringify(document))) };
      return written.packed;
    },
  };
}

/** Throws for a route, registered after this, with a tag that is not described. */
function requireDescribedTags(server: HttpServer, tags: DocumentedApi['tags']): void {
  const described = new Set(tags.map(({ name }) => name));
  server.addHook('onRoute', ({ method, url, schema }) => {
    const other = schema?.tags?.find((tag) => !described.has(tag));
    if (other !== undefined)
      throw new Error(`${String(method)} ${url} has the tag "${other}", which nothing describes`);
  });
}

/** @throws {HttpProblem} where the document is not for the request */
export type AdmitReader = (request: FastifyRequest) => Promise<unknown>;

const documentPath = '/openapi.json';
const pagePath = '/docs';

/** `/openapi.json`, and `/docs` to read and try it. */
export async function documentRoutes(server: HttpServer, document: ApiDocument, admit: AdmitReader): Promise<void> {
  async function send(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache');
    return await sendPacked(request, reply, document.current());
  }

  await server.register(async (scope: HttpServer) => {
    scope.addHook('onRequest', async (request, reply) => {
      await admit(request);
      // The package would write the document anew each time, and as YAML for a quarter of a second.
      const { url } = request.routeOptions;
      if (url === `${pagePath}/yaml`) {
        throw new HttpProblem({ status: 404, code: 'not-found', detail: `there is ${documentPath}, and no YAML` });
      }
      return url === `${pagePath}/json` ? await send(request, reply) : undefined;
    });
    scope.get(documentPath, { schema: { hide: true } }, send);
    await scope.register(swaggerUi, { ...page, theme: { title: document.title } });
  });
}

const page: FastifySwaggerUiOptions = {
  routePrefix: pagePath,
  // Without the bar on top, which offers to explore other documents under another's logo.
  uiConfig: { layout: 'BaseLayout' },
  staticCSP: {
    'default-src': "'self'",
    'img-src': "'self' data:",
    'style-src': ["'self'", "'unsafe-inline'"],
    'object-src': "'none'",
    'base-uri': "'none'",
    'frame-ancestors': "'none'",
  },
};

/**
 * Writes into the document which role a route needs, how a scope applies and whether the answer holds a secret.
 * `describeAnswers` adds the refusal.
 */
function withRole(written: ReturnType<typeof jsonSchemaTransform>, config: FastifyContextConfig) {
  const { role, scope, isAnswerSecret } = config;
  if (role === undefined || role === 'anybody') return written;
  const extensions = {
    ...{ 'x-required-role': [role].flat().join(' or '), 'x-scope': scope },
    ...(isAnswerSecret && { 'x-secret-answer': true }),
  };
  return { ...written, schema: { ...written.schema, ...extensions } };
}

/** Writes what a route has in its configuration into its operation, from where the document takes it. */
function withRules(written: ReturnType<typeof jsonSchemaTransform>, config: FastifyContextConfig) {
  const { refusals, uploads, heavy } = config;
  const rules = {
    ...withLimits(fieldsOf(written.schema)['description'], heavy),
    ...(refusals && { [refusalsKey]: refusals }),
    ...(uploads && { [uploadsKey]: uploads }),
  };
  return { ...written, schema: { ...written.schema, ...rules } };
}
