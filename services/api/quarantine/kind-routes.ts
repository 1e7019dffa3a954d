import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { decidedItems, type DecidedItems, type QuarantineKind } from '../../../shared/contracts/quarantine/items.ts';
import type { Refusals } from '../../../shared/contracts/stated-rules.ts';
import { idPrefixes, type IdKind } from '../../../shared/domain/ids/ids.ts';
import type { Role } from '../../../shared/domain/roles.ts';
import type { RouteScope } from '../access/scopes.ts';
import { jsonAnswer } from '../frame/document/answer-shapes.ts';
import { HttpProblem, notFound } from '../frame/http-problem.ts';
import { pageShape } from '../frame/pages.contract.ts';
import { requireId } from '../frame/public-ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../frame/server/idempotency.ts';

/**
 * Rules of a kind of quarantined item. All kinds have the same routes, but each has its own rights, filters and store.
 */
export interface KindRules {
  kind: QuarantineKind;
  idKind: IdKind;
  /** Rights that the list with its groups, one item, and decisions require. */
  access: Readonly<Record<'list' | 'find' | 'decide', { role: Role; scope: RouteScope }>>;
  refusals?: Refusals;
}

export interface NamedItem {
  id: string;
  uuid: string;
}

interface KindReading<Query, Filter> {
  query: z.ZodType<Query>;
  filter: z.ZodType<Filter>;
  item: z.ZodType;
  detail: z.ZodType;
  group: z.ZodType;
  list: (query: Query, request: FastifyRequest) => Promise<{ items: unknown[]; next: string | null }>;
  groups: (filter: Filter, request: FastifyRequest) => Promise<unknown[]>;
  /** Returns an item; undefined if it does not exist. */
  find: (item: NamedItem, request: FastifyRequest) => Promise<unknown>;
}

export type Verb = 'replay' | 'discard';

/**
 * Makes a decision about an item, and returns its state afterwards; undefined if it does not exist.
 * @throws {HttpProblem} 409 if the state forbids the decision
 */
export type DecideItem = (item: NamedItem, request: FastifyRequest) => Promise<string | undefined>;

interface Decision {
  description: string;
  body?: z.ZodType;
  decide: DecideItem;
}

interface BulkDecision<Selection> {
  description: string;
  selection: z.ZodType<Selection>;
  decide: (selection: Selection, request: FastifyRequest) => Promise<DecidedItems>;
}

export const participles = { replay: 'replayed', discard: 'discarded' } as const;
const verbTitles = { replay: 'Replay', discard: 'Discard' } as const;
const nouns = { message: 'Message', step: 'Step', job: 'Job' } as const;

const pathOf = ({ kind }: KindRules) => `/quarantine/${kind}s`;
const tags = ['quarantine'];
const byId = ({ idKind }: KindRules) => z.object({ id: z.string().describe(`${idPrefixes[idKind]}_…`) });
const namedIn = (id: string, { idKind }: KindRules): NamedItem => ({ id, uuid: requireId(idKind, id) });

export function readingRoutes<Query, Filter>(
  server: HttpServer,
  rules: KindRules,
  reading: KindReading<Query, Filter>,
): void {
  const { kind, access, refusals = {} } = rules;
  server.route({
    method: 'GET',
    url: pathOf(rules),
    config: { ...access.list, refusals },
    schema: {
      operationId: `listQuarantined${nouns[kind]}s`,
      summary: `List quarantined ${kind}s, newest first`,
      tags,
      querystring: reading.query,
      response: { 200: jsonAnswer(`A page of quarantined ${kind}s`, pageShape(reading.item)) },
    },
    handler: (request) => reading.list(typed(reading.query, request.query), request),
  });

  server.route({
    method: 'GET',
    url: `${pathOf(rules)}/groups`,
    config: { ...access.list, refusals },
    schema: {
      operationId: `groupQuarantined${nouns[kind]}s`,
      summary: `Count quarantined ${kind}s by reason, largest group first`,
      tags,
      querystring: reading.filter,
      response: { 200: jsonAnswer('All groups', pageShape(reading.group)) },
    },
    handler: async (request) => ({
      items: await reading.groups(typed(reading.filter, request.query), request),
      next: null,
    }),
  });

  server.route({
    method: 'GET',
    url: `${pathOf(rules)}/:id`,
    config: access.find,
    schema: {
      operationId: `getQuarantined${nouns[kind]}`,
      summary: `Show a quarantined ${kind} with its content`,
      tags,
      params: byId(rules),
      response: { 200: jsonAnswer(`The ${kind}`, reading.detail) },
    },
    handler: async (request) => {
      const item = namedIn(request.params.id, rules);
      return (await reading.find(item, request)) ?? missing(item, rules);
    },
  });
}

export function decisionRoutes(
  server: HttpServer,
  rules: KindRules & { decision: z.ZodType },
  decisions: Readonly<Record<Verb, Decision>>,
): void {
  const { kind, access, decision } = rules;
  for (const verb of ['replay', 'discard'] as const) {
    const { description, body, decide } = decisions[verb];
    server.route({
      method: 'POST',
      url: `${pathOf(rules)}/:id/${verb}`,
      config: { ...access.decide, audit: `${participles[verb]} a ${kind} from quarantine` },
      schema: {
        operationId: `${verb}Quarantined${nouns[kind]}`,
        summary: `${verbTitles[verb]} a quarantined ${kind}`,
        description,
        tags,
        headers: idempotentHeaders,
        params: byId(rules),
        ...(body && { body }),
        response: { 200: jsonAnswer('The decision', decision) },
      },
      handler: async (request) => {
        const item = namedIn(request.params.id, rules);
        return { kind, id: item.id, state: (await decide(item, request)) ?? missing(item, rules) };
      },
    });
  }
}

export function bulkDecisionRoute<Selection extends object>(
  server: HttpServer,
  rules: KindRules & { verb: Verb },
  { description, selection, decide }: BulkDecision<Selection>,
): void {
  const { kind, verb, access, refusals = {} } = rules;
  server.route({
    method: 'POST',
    url: `${pathOf(rules)}/${verb}`,
    config: { ...access.decide, refusals, audit: `${participles[verb]} ${kind}s from quarantine` },
    schema: {
      operationId: `${verb}Quarantined${nouns[kind]}s`,
      summary: `${verbTitles[verb]} all quarantined ${kind}s of a selection`,
      description,
      tags,
      headers: idempotentHeaders,
      body: selection,
      response: { 200: jsonAnswer('Number of items', decidedItems) },
    },
    handler: async (request) => {
      const wanted = typed(selection, request.body);
      const decided = await decide(wanted, request);
      request.auditDetail = { ...wanted, ...decided };
      return decided;
    },
  });
}

/** Returns the checked value with its type, because Fastify cannot infer the type of a generic shape. */
function typed<Value>(shape: z.ZodType<Value>, checked: unknown): Value {
  return shape.parse(checked);
}

/**
 * Throws the problem of an unknown item.
 * @throws {HttpProblem} 404
 */
function missing({ id }: NamedItem, { idKind }: KindRules): never {
  throw notFound(idKind, id);
}

export function stateForbids({ id }: NamedItem, state: string, verb: Verb): HttpProblem {
  const detail = `${id} is ${state} and cannot be ${participles[verb]}`;
  return new HttpProblem({ status: 409, code: 'state-forbids', detail });
}
