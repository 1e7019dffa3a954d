import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { sendPacked } from '../frame/server/packed-body.ts';
import { messageFrame, pagePolicy, type ConsolePages } from './console-pages.ts';

/** Paths of the API. An unknown path below them gets a problem instead of the console's page. */
const answeredElsewhere = ['/v1', '/docs', '/openapi.json', '/healthz', '/readyz', '/assets'];

/**
 * Sender of the console's page for all paths outside the API. The page itself shows the view that belongs to the path.
 */
export interface PageSender {
  /** Returns true if a browser requests a page. The page itself decides whether a view belongs to the path. */
  isFor(request: FastifyRequest): boolean;
  send(reply: FastifyReply): FastifyReply;
}

export function createPageSender(pages: ConsolePages, basePath: string): PageSender {
  return {
    isFor: ({ method, url, headers }) => {
      const [path = ''] = url.split('?');
      const isOthers = answeredElsewhere.some((each) => path === each || path.startsWith(`${each}/`));
      const isRead = method === 'GET' || method === 'HEAD';
      return isRead && !isOthers && (headers.accept ?? '').includes('text/html');
    },
    send: (reply) =>
      reply
        .header('content-security-policy', pagePolicy)
        .header('cache-control', 'no-cache')
        .type('text/html; charset=utf-8')
        .send(pages.page(basePath)),
  };
}

/** Registers one route for each file of the page and one for the frame of messages. No other path returns a file. */
export function consoleFileRoutes(server: HttpServer, { files }: ConsolePages): void {
  const { path, policy, body } = messageFrame;
  server.get(path, { schema: { hide: true } }, (_request, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(body),
  );
  for (const file of files) {
    server.get(file.path, { schema: { hide: true } }, async (request, reply) => {
      reply.type(file.type);
      reply.header('cache-control', file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache');
      return await sendPacked(request, reply, file);
    });
  }
}
