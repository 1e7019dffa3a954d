import { z } from 'zod';
import {
  deadLetterContent,
  deadLetterGroup,
  deadLetterSelection,
  deadLetterShape,
  deadLetterStates,
  settledLetters,
} from '../../../shared/contracts/messages/dead-letters.ts';
import { pageQuery, pageShape } from '../frame/pages.contract.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';
import type { DeadLetterRow, DeadLetterStore } from './postgres/dead-letter-store.ts';
import { cursorInQuery, pageView, requireId } from '../frame/public-ids.ts';
import { deadLetterContentView, deadLetterGroupView, deadLetterView } from './dead-letter-view.ts';

export interface DeadLetterRoutesDeps {
  deadLetters: DeadLetterStore;
}

const byId = z.object({ id: z.string().describe('dlt_…') });
const tags = ['dead letters'];
const maxShownBytes = 64 * 1024;

const filter = {
  topic: z.string().max(249).optional(),
  reason: z.string().max(500).optional().describe('As it stands in the list, whole'),
  state: z.enum(deadLetterStates).optional(),
};

const verbs = {
  replay: {
    to: 'replaying',
    done: ['replaying', 'replayed'],
    participle: 'replayed',
    summary: 'Publish dead letters again, as they were',
    description:
      'A trigger publishes it to its topic within seconds, byte for byte: what it names is served under the same keys as ever, so nobody is served twice. ' +
      'If it still cannot be understood, it comes back as a new dead letter.',
  },
  discard: {
    to: 'discarded',
    done: ['discarded'],
    participle: 'discarded',
    summary: 'Give dead letters up',
    description:
      'They stay in the list, as discarded, until they are too old. No user is lost by it: runs are swept by what Postgres knows.',
  },
} as const;

type Verb = keyof typeof verbs;

/** Messages that were not understood, or that say what the rows do not. */
export function deadLetterRoutes(server: HttpServer, deps: DeadLetterRoutesDeps): void {
  listRoutes(server, deps);
  for (const verb of ['replay', 'discard'] as const) {
    verbRoute(server, verb, deps);
    selectionRoute(server, verb, deps);
  }
}

function listRoutes(server: HttpServer, { deadLetters }: DeadLetterRoutesDeps): void {
  server.route({
    method: 'GET',
    url: '/dead-letters',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'listDeadLetters',
      summary: 'List messages that were set aside, newest first',
      tags,
      querystring: pageQuery.extend(filter),
      response: { 200: jsonAnswer('A page of dead letters', pageShape(deadLetterShape)) },
    },
    handler: async ({ query: { limit, cursor, ...wanted } }) =>
      pageView(
        'deadLetter',
        await deadLetters.list(wanted, limit, cursorInQuery('deadLetter', cursor)),
        deadLetterView,
      ),
  });

  server.route({
    method: 'GET',
    url: '/dead-letters/groups',
    config: { role: 'viewer', scope: 'none' },
    schema: {
      operationId: 'groupDeadLetters',
      summary: 'Dead letters by topic and reason, most first',
      tags,
      querystring: z.strictObject(filter),
      response: { 200: jsonAnswer('All groups', pageShape(deadLetterGroup)) },
    },
    handler: async ({ query }) => ({ items: (await deadLetters.groups(query)).map(deadLetterGroupView), next: null }),
  });

  server.route({
    method: 'GET',
    url: '/dead-letters/:id',
    config: { role: 'viewer', scope: 'users' },
    schema: {
      operationId: 'getDeadLetter',
      summary: 'Show a dead letter with its bytes',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The letter', deadLetterContent) },
    },
    handler: async ({ params: { id } }) => {
      const letter = await deadLetters.find(requireId('deadLetter', id), maxShownBytes);
      if (!letter) throw notFound('deadLetter', id);
      return deadLetterContentView(letter);
    },
  });
}

function verbRoute(server: HttpServer, verb: Verb, { deadLetters }: DeadLetterRoutesDeps): void {
  const { summary, description, participle, to, done } = verbs[verb];
  server.route({
    method: 'POST',
    url: `/dead-letters/:id/${verb}`,
    config: { role: 'operator', scope: 'installation', audit: `${participle} a dead letter` },
    schema: {
      operationId: `${verb}DeadLetter`,
      summary: summary.replace('dead letters', 'a dead letter'),
      description,
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The letter as it is now', deadLetterShape) },
    },
    handler: async (request) => {
      const { id } = request.params;
      const letter = await deadLetters.settle(requireId('deadLetter', id), to);
      if (!letter) throw notFound('deadLetter', id);
      const { topic, reason, state } = letter;
      request.auditDetail = { topic, reason, state };
      if (!done.some((each) => each === state)) throw stateForbids(id, letter, verb);
      return deadLetterView(letter);
    },
  });
}

function selectionRoute(server: HttpServer, verb: Verb, { deadLetters }: DeadLetterRoutesDeps): void {
  const { summary, description, participle, to } = verbs[verb];
  server.route({
    method: 'POST',
    url: `/dead-letters/${verb}`,
    config: { role: 'operator', scope: 'installation', audit: `${participle} dead letters` },
    schema: {
      operationId: `${verb}DeadLetters`,
      summary: `${summary}: all of a topic or reason about which nobody has decided`,
      description,
      tags,
      headers: idempotentHeaders,
      body: deadLetterSelection,
      response: { 200: jsonAnswer('How many', settledLetters) },
    },
    handler: async (request) => {
      const letters = await deadLetters.settleAll(request.body, to);
      request.auditDetail = { ...request.body, letters };
      return { letters };
    },
  });
}

function stateForbids(id: string, { state }: DeadLetterRow, verb: Verb): HttpProblem {
  const detail = `${id} is ${state} and cannot be ${verbs[verb].participle}; a letter can be while it is kept`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
