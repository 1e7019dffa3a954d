import { expect, it } from 'vitest';
import { createLogger } from '../../../../shared/runtime/logger.ts';
import { createHttpServer } from '../server/create-http-server.ts';
import { describeRoutes } from './document-routes.ts';

it.each([
  ['is registered with a described tag', 'runs', undefined],
  ['is refused with a tag that nothing describes', 'rewinds', 'GET /rewinds has the tag "rewinds", which nothing'],
])('a route %s', async (_what, tag, message) => {
  const server = createHttpServer({ logger: createLogger('api', 'silent'), explain: () => undefined });
  await describeRoutes(server, {
    title: 'Muster',
    version: '1',
    description: 'For tests',
    basePath: '',
    tags: [{ name: 'runs', description: 'Campaigns being carried out' }],
    amend: () => undefined,
    asOf: () => '',
  });

  const register = () => server.route({ method: 'GET', url: '/rewinds', schema: { tags: [tag] }, handler: () => ({}) });

  if (message === undefined) expect(register).not.toThrow();
  else expect(register).toThrow(message);
});
