import type { FastifyReply, FastifyRequest } from 'fastify';
import { pagePolicy, type ConsoleFile, type ConsolePages, type ContentEncoding } from './console-pages.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';

/** What the API answers itself: a mistyped path there is a problem, not a page. */
const answeredElsewhere = ['/v1', '/docs', '/openapi.json', '/healthz', '/readyz', '/assets'];

/** The console's page, for every path that is not the API's: it shows the view that belongs to the path. */
export interface PageSender {
  /** Where a person's browser looks for a page; whether there is a view of that path, the page itself says. */
  isFor(request: FastifyRequest): boolean;
  send(reply: FastifyReply): FastifyReply;
}

export function createPageSender(pages: ConsolePages, basePath: string): PageSender {
  return {
    isFor: ({ method, url, headers }) => {
      const [path = ''] = url.split('?');
      const isOthers = answeredElsewhere.some((each) => path === each || path.startsWith(`${each}/`));
      const isLook = method === 'GET' || method === 'HEAD';
      return isLook && !isOthers && (headers.accept ?? '').includes('text/html');
    },
    send: (reply) =>
      reply
        .header('content-security-policy', pagePolicy)
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(pages.page(basePath)),
  };
}

/** The files that the page loads, each a route of its own: no other path leads to a file. */
export function consoleFileRoutes(server: HttpServer, { files }: ConsolePages): void {
  for (const file of files) {
    server.get(file.path, { schema: { hide: true } }, async (request, reply) => {
      reply.header('etag', file.etag).header('vary', 'accept-encoding').type(file.type);
      reply.header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      if (request.headers['if-none-match'] === file.etag) return reply.code(304).send();
      return reply.send(await bodyFor(request, reply, file));
    });
  }
}

async function bodyFor({ headers }: FastifyRequest, reply: FastifyReply, file: ConsoleFile): Promise<Buffer> {
  const accepted = headers['accept-encoding'] ?? '';
  const encoding = (['br', 'gzip'] satisfies ContentEncoding[]).find((each) =>
    new RegExp(`\\b${each}\\b`).test(accepted),
  );
  if (encoding === undefined) return file.body;
  const body = await file.encoded(encoding);
  if (body !== file.body) reply.header('content-encoding', encoding);
  return body;
}
