import swagger from '@fastify/swagger';
import type { FastifyContextConfig, FastifyReply, FastifyRequest } from 'fastify';
import swaggerUi, { type FastifySwaggerUiOptions } from '@fastify/swagger-ui';
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod';
import type { HttpServer } from '../server/create-http-server.ts';
import { HttpProblem } from '../http-problem.ts';
import { describeAnswers } from './describe-answers.ts';
import { withLimits } from './describe-heavy.ts';
import { describeOptionalBodies, isOptional, optionalBodyKey } from './describe-optional-bodies.ts';
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
  /** Path prefix of the whole API; may be empty. */
  basePath: string;
  tags: { name: string; description: string }[];
  /** Adds the information that the shapes of the routes do not contain to a copy of the document. */
  amend: (document: unknown) => void;
  /**
   * Returns the version of the information that `amend` adds. The document is written again whenever this version
   * changes.
   */
  asOf: () => string;
}

export interface ApiDocument {
  title: string;
  /** Returns the current document. It is written and compressed once for each version, because writing takes 15 ms. */
  current(): PackedBody;
}

/**
 * Describes the routes that are registered after this call, from their shapes. Each route requires a key unless its own
 * `security` says otherwise.
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
      servers: [{ url: basePath || '/', description: 'Server of this document' }],
      security: [{ apiKey: [] }, { session: [] }],
      components: {
        securitySchemes: {
          apiKey: { type: 'http', scheme: 'bearer' },
          session: {
            type: 'apiKey',
            in: 'cookie',
            name: 'muster-session',
            description: 'Cookie from `POST /v1/session`. Requests other than GET and HEAD also need X-CSRF-Token',
          },
        },
      },
    },
    transform: (described) => {
      const schema = withUsualProblems(described.schema, described.route);
      const { config = {} } = described.route;
      const written = withRules(withRole(jsonSchemaTransform({ ...described, schema }), config), config);
      if (!isOptional(schema.body)) return written;
      return { ...written, schema: { ...written.schema, [optionalBodyKey]: true } };
    },
    transformObject: (document) => {
      const written = jsonSchemaTransformObject(document);
      pruneComponents(written);
      describeAnswers(written);
      describeUploads(written);
      describeOptionalBodies(written);
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

/**
 * Refuses routes, registered after this call, that have a tag without a description.
 * @throws {Error} with the route and the tag
 */
function requireDescribedTags(server: HttpServer, tags: DocumentedApi['tags']): void {
  const described = new Set(tags.map(({ name }) => name));
  server.addHook('onRoute', ({ method, url, schema }) => {
    const other = schema?.tags?.find((tag) => !described.has(tag));
    if (other !== undefined)
      throw new Error(`${String(method)} ${url} has the tag "${other}", which nothing describes`);
  });
}

/**
 * Checks that the caller may read the document.
 * @throws {HttpProblem} otherwise
 */
export type AdmitReader = (request: FastifyRequest) => Promise<unknown>;

const documentPath = '/openapi.json';
const pagePath = '/docs';

/** Registers `/openapi.json`, and the page `/docs`, on which people read and try the API. */
export async function documentRoutes(server: HttpServer, document: ApiDocument, admit: AdmitReader): Promise<void> {
  async function send(request: FastifyRequest, reply: FastifyReply): Promise<unknown> {
    reply.type('application/json; charset=utf-8').header('cache-control', 'no-cache');
    return await sendPacked(request, reply, document.current());
  }

  await server.register(async (scope: HttpServer) => {
    scope.addHook('onRequest', async (request, reply) => {
      await admit(request);
      // The handler replaces the package's own routes, because those would write the document for each request (the
      // YAML form takes 250 ms).
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
  // The base layout has no top bar. The top bar would offer to load other documents, and would show a logo.
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
 * Adds the required role, the scope, and whether the response is secret to an operation. `describeAnswers` adds the
 * refusal.
 */
function withRole(written: ReturnType<typeof jsonSchemaTransform>, config: FastifyContextConfig) {
  const { role, scope, isAnswerSecret } = config;
  if (role === undefined || role === 'anybody') return written;
  const extensions = {
    'x-required-role': [role].flat().join(' or '),
    'x-scope': scope,
    ...(isAnswerSecret && { 'x-secret-answer': true }),
  };
  return { ...written, schema: { ...written.schema, ...extensions } };
}

/** Copies the documented parts of a route's configuration into its operation. */
function withRules(written: ReturnType<typeof jsonSchemaTransform>, config: FastifyContextConfig) {
  const { refusals, uploads, heavy } = config;
  const rules = {
    ...withLimits(fieldsOf(written.schema)['description'], heavy),
    ...(refusals && { [refusalsKey]: refusals }),
    ...(uploads && { [uploadsKey]: uploads }),
  };
  return { ...written, schema: { ...written.schema, ...rules } };
}
