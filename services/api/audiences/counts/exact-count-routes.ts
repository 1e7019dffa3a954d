import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  countKeyOf,
  countRequest,
  exactCount,
  openCountsAtMost,
  snapshotsOf,
  type CountQuestion,
} from '../../../../shared/contracts/campaigns/exact-counts.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { holdsAll } from '../../../../shared/domain/scopes.ts';
import { callerOf, campaignsInScope, outOfScope, scopeOf } from '../../access/scopes.ts';
import { askSources, type AskSourcesDeps } from '../ask/ask-sources.ts';
import type { AskedSources } from '../ask/asked-sources.ts';
import { checkAgainstConfig } from '../../campaigns/check-campaign.ts';
import { refuseFields } from '../../frame/server/refuse-fields.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { HttpProblem, invalidRequest, notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, pageView } from '../../frame/public-ids.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { countView } from './count-view.ts';
import type { CountRecord, CountRequests } from './postgres/count-requests.ts';
import { sourceRefusals } from '../../../../shared/contracts/campaigns/campaigns.ts';

export interface ExactCountDeps extends AskSourcesDeps {
  catalogue: CatalogueReader;
  countRequests: CountRequests;
}

const byId = z.object({ id: z.string().describe('cnt_…') });
const tags = ['audiences'];

export function exactCountRoutes(server: HttpServer, parts: ExactCountDeps): void {
  askRoute(server, parts);
  listRoute(server, parts);
  showRoute(server, parts);
  cancelRoute(server, parts);
}

function askRoute(server: HttpServer, deps: ExactCountDeps): void {
  const { catalogue, countRequests } = deps;
  server.route({
    method: 'POST',
    url: '/audiences/exact-counts',
    config: {
      role: 'manager',
      scope: 'campaign',
      refusals: sourceRefusals,
      audit: 'began an exact count of an audience',
    },
    schema: {
      operationId: 'beginExactCount',
      summary: 'Count the users of an audience exactly, or of two and of both',
      description:
        'A trigger pages all sources once, merged as a run would feed them, at 20,000 users a second at most. The result is read from the ' +
        'count (`location`). The same request about the same snapshots of segments returns the same count for thirty days, unless it has ' +
        '`anew`. An account has four open counts; each ends after six hours at most.',
      tags,
      headers: idempotentHeaders,
      body: countRequest,
      response: {
        200: jsonAnswer('The count of an earlier request', exactCount),
        201: jsonAnswer('The new count', exactCount),
        ...problems(409),
      },
    },
    handler: async (request, reply) => {
      const { begun, body } = request;
      const { anew, ...question } = body;
      requireCountries(request, question.countries);
      const errors = checkAgainstConfig({ countries: question.countries, chain: [] }, await catalogue.refresh());
      if (errors.length > 0) throw invalidRequest(errors);
      const key = await keyOf(question, deps);
      const { key: askedBy, account } = callerOf(request);
      const countId = begun?.createdId ?? uuidv7();
      const asked = await countRequests.ask({ countId, question, key, anew, by: { key: askedBy, account } });
      if (asked.kind === 'too-many') throw tooManyCounts();
      const view = countView(asked.record);
      request.auditDetail = { created: view.id };
      return reply
        .code(asked.kind === 'begun' ? 201 : 200)
        .header('location', view.links.self)
        .send(view);
    },
  });
}

function listRoute(server: HttpServer, { countRequests }: ExactCountDeps): void {
  server.route({
    method: 'GET',
    url: '/audiences/exact-counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listExactCounts',
      summary: 'List exact counts of audiences, newest first',
      tags,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of counts', pageShape(exactCount)) },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const from = cursorInQuery('audienceCount', cursor);
      return pageView('audienceCount', await countRequests.list(limit, from, campaignsInScope(request)), countView);
    },
  });
}

function showRoute(server: HttpServer, { countRequests }: ExactCountDeps): void {
  server.route({
    method: 'GET',
    url: '/audiences/exact-counts/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getExactCount',
      summary: 'Show an exact count with its progress or its result',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The count', exactCount) },
    },
    handler: async ({ params: { id } }) => countView(await found(id, countRequests.get)),
  });
}

function cancelRoute(server: HttpServer, { countRequests }: ExactCountDeps): void {
  server.route({
    method: 'POST',
    url: '/audiences/exact-counts/:id/cancel',
    config: { role: 'manager', scope: 'campaign', audit: 'cancelled an exact count of an audience' },
    schema: {
      operationId: 'cancelExactCount',
      summary: 'Cancel an exact count',
      description: 'A count that has ended is unchanged. Users counted so far are shown, and answer no other request.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The count as it is now', exactCount) },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      return countView(await found(id, countRequests.cancel));
    },
  });
}

/** @throws {HttpProblem} 404, also for a malformed id */
async function found(id: string, find: (countId: string) => Promise<CountRecord | undefined>): Promise<CountRecord> {
  const countId = uuidOf('audienceCount', id);
  const record = countId && (await find(countId));
  if (!record) throw notFound('exact-count', id);
  return record;
}

/** @throws {HttpProblem} 403 */
function requireCountries(request: FastifyRequest, countries: readonly string[]): void {
  if (!holdsAll(scopeOf(request).countries, countries))
    throw outOfScope(`this key is not for all of ${countries.join(', ')}`);
}

/**
 * Returns the key of a question at the current snapshots of its segments.
 * @throws {HttpProblem} 422 for a source that does not exist, 409 if a source cannot be verified now
 */
async function keyOf(question: CountQuestion, deps: AskSourcesDeps): Promise<string> {
  const { countries } = question;
  const sides = [
    { audience: question.audience, at: '/audience' },
    ...(question.with ? [{ audience: question.with, at: '/with' }] : []),
  ];
  const asked = await Promise.all(
    sides.map(async (side) => withPointers(await askSources({ ...side, countries }, deps), side.at)),
  );
  const missing = asked.flatMap((each) => each.problems);
  if (missing.length > 0) throw invalidRequest(missing);
  const open = asked.flatMap(({ warnings }) => warnings.filter(({ code }) => notCountable.includes(code)));
  if (open.length > 0) throw notNow(open);
  return countKeyOf(question, snapshotsOf(asked.flatMap(({ sources }) => sources)));
}

const notCountable = ['unverified-segment', 'run-not-ended'];

function withPointers(asked: AskedSources, at: string): AskedSources {
  const moved = <Said extends FieldProblem>(said: Said): Said => ({
    ...said,
    pointer: said.pointer.replace(/^\/audience/, at),
  });
  return { ...asked, problems: asked.problems.map(moved), warnings: asked.warnings.map(moved) };
}

function notNow(errors: readonly FieldProblem[]): HttpProblem {
  const detail = 'it cannot be counted now: not all that it is made of is known';
  return new HttpProblem({ status: 409, code: 'not-countable-now', detail, errors });
}

function tooManyCounts(): HttpProblem {
  const detail = `${openCountsAtMost} audiences of your account are being counted, or wait to be: cancel one, or ask again later`;
  return new HttpProblem({ status: 429, code: 'too-many-counts', detail, headers: { 'retry-after': '10' } });
}
