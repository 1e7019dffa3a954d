import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { sendPacked } from '../frame/server/packed-body.ts';
import { messageFrame, pagePolicy, type ConsolePages } from './console-pages.ts';

/** Paths for which the API answers itself: a mistyped path there is a problem, not a page. */
const answeredElsewhere = ['/v1', '/docs', '/openapi.json', '/healthz', '/readyz', '/assets'];

/** Sends the console's page for all paths outside of the API; the page shows the view of its path. */
export interface PageSender {
  /** Returns whether a browser requests a page. The page itself decides whether the path has a view. */
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

/** Registers one route per file of the page, and one for the frame of messages: no other path leads to a file. */
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
