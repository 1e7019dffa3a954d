import { z } from 'zod';
import { refusedPerson, type RefusedPersonShape } from '../../../shared/contracts/access/callers.ts';
import { publicId } from '../../../shared/domain/ids/ids.ts';
import { pageLimit } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { RefusedPeopleReader, RefusedPersonRecord } from './postgres/refused-people.ts';

export interface RefusedPeopleRoutesDeps {
  refusedPeople: RefusedPeopleReader;
}

/** Registers the list of refused people. They belong to no scope, so only keys without a scope may read them. */
export function refusedPeopleRoutes(server: HttpServer, { refusedPeople }: RefusedPeopleRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/refused-people',
    config: { role: 'operator', scope: 'installation' },
    schema: {
      operationId: 'listRefusedPeople',
      summary: 'List people and programs of the issuer that were refused in the last thirty days',
      description:
        'Their tokens are valid but grant nothing here, or an operator has shut them out. The latest refusal ' +
        'comes first; the last thousand are kept. Requests with a forged, expired or foreign token are not ' +
        'listed, because their sender is unknown.',
      tags: ['keys'],
      querystring: z.strictObject({ limit: pageLimit.default(50) }),
      response: { 200: jsonAnswer('The refused people', z.object({ items: z.array(refusedPerson) })) },
    },
    handler: async ({ query: { limit } }) => ({ items: (await refusedPeople(limit)).map(personView) }),
  });
}

function personView({ key, firstAt, lastAt, ...person }: RefusedPersonRecord): RefusedPersonShape {
  return {
    ...person,
    firstAt: firstAt.toISOString(),
    lastAt: lastAt.toISOString(),
    keyId: key === null ? null : publicId('apiKey', key),
  };
}
