import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import { z } from 'zod';
import {
  audienceCount,
  countKeyOf,
  countRequest,
  snapshotsOf,
  type CountQuestion,
} from '../../../../shared/contracts/campaigns/audience-counts.ts';
import type { FieldProblem } from '../../../../shared/contracts/field-problems.ts';
import { holdsAll } from '../../../../shared/domain/scopes.ts';
import { callerOf, campaignsInScope, outOfScope, scopeOf } from '../../access/scopes.ts';
import { askSources, type AskSourcesDeps } from '../ask/ask-sources.ts';
import type { AskedSources } from '../ask/asked-sources.ts';
import { checkAgainstConfig } from '../../campaigns/check-campaign.ts';
import { refuseFields } from '../../campaigns/refusals.ts';
import type { ApiParts } from '../../api-parts.ts';
import { HttpProblem, invalidRequest, notFound } from '../../frame/http-problem.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import { pageQuery, pageShape } from '../../frame/pages.contract.ts';
import { cursorInQuery, pageView, requireId } from '../../frame/public-ids.ts';
import { jsonAnswer, problems } from '../../frame/document/answer-shapes.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { countView } from './count-view.ts';
import { openCountsAtMost } from './open-counts.ts';
import type { CountRecord } from './postgres/count-requests.ts';
import { sourceRefusals } from '../../../../shared/contracts/campaigns/campaigns.ts';

const byId = z.object({ id: z.string().describe('cnt_…') });
const tags = ['audiences'];

export function routes(server: HttpServer, parts: ApiParts): void {
  askRoute(server, parts);
  listRoute(server, parts);
  showRoute(server, parts);
  cancelRoute(server, parts);
}

function askRoute(server: HttpServer, deps: ApiParts): void {
  const { catalogue, countRequests } = deps;
  server.route({
    method: 'POST',
    url: '/audience-counts',
    config: { role: 'manager', scope: 'campaign', refusals: sourceRefusals, audit: 'began to count an audience' },
    schema: {
      operationId: 'countAudience',
      summary: 'Count an audience exactly, or how many are in two',
      description:
        'A trigger pages all of its sources once, merged as a run would feed them, beside everything else and 20,000 users a second at most. ' +
        'What is counted is that of the segments as they are now: the same question about the same snapshots is answered by the same count ' +
        'for thirty days, unless it is asked `anew`. Four of an account at once; each ends after six hours at most.',
      tags,
      headers: idempotentHeaders,
      body: countRequest,
      response: {
        200: jsonAnswer('The same is being counted, or was', audienceCount),
        201: jsonAnswer('The count that was begun', audienceCount),
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

function listRoute(server: HttpServer, { countRequests }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audience-counts',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'listAudienceCounts',
      summary: 'List exact counts of audiences, newest first',
      tags,
      querystring: pageQuery,
      response: { 200: jsonAnswer('A page of counts', pageShape(audienceCount)) },
    },
    handler: async (request) => {
      const { limit, cursor } = request.query;
      const from = cursorInQuery('audienceCount', cursor);
      return pageView('audienceCount', await countRequests.list(limit, from, campaignsInScope(request)), countView);
    },
  });
}

function showRoute(server: HttpServer, { countRequests }: ApiParts): void {
  server.route({
    method: 'GET',
    url: '/audience-counts/:id',
    config: { role: 'viewer', scope: 'campaign' },
    schema: {
      operationId: 'getAudienceCount',
      summary: 'Show an exact count: how far it is, and what it has come to',
      tags,
      params: byId,
      response: { 200: jsonAnswer('The count', audienceCount) },
    },
    handler: async ({ params: { id } }) =>
      countView(found(id, await countRequests.get(requireId('audienceCount', id)))),
  });
}

function cancelRoute(server: HttpServer, { countRequests }: ApiParts): void {
  server.route({
    method: 'POST',
    url: '/audience-counts/:id/cancel',
    config: { role: 'manager', scope: 'campaign', audit: 'ended the count of an audience' },
    schema: {
      operationId: 'cancelAudienceCount',
      summary: 'End an exact count before it is done',
      description: 'One that has ended stays as it is. What it had counted is shown, and is nobody’s answer.',
      tags,
      headers: idempotentHeaders,
      params: byId,
      response: { 200: jsonAnswer('The count as it is now', audienceCount) },
    },
    handler: async ({ params: { id }, body }) => {
      refuseFields(body);
      return countView(found(id, await countRequests.cancel(requireId('audienceCount', id))));
    },
  });
}

function found(id: string, record: CountRecord | undefined): CountRecord {
  if (!record) throw notFound('audience-count', id);
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
