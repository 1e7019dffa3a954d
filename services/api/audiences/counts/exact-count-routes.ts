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
import { estimateSources, type EstimateSourcesDeps } from '../estimates/estimate-sources.ts';
import type { SourceEstimates } from '../estimates/source-estimates.ts';
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

export interface ExactCountDeps extends EstimateSourcesDeps {
  catalogue: CatalogueReader;
  countRequests: CountRequests;
}

const byId = z.object({ id: z.string().describe('cnt_…') });
const tags = ['audiences'];

export function exactCountRoutes(server: HttpServer, parts: ExactCountDeps): void {
  beginRoute(server, parts);
  listRoute(server, parts);
  showRoute(server, parts);
  cancelRoute(server, parts);
}

function beginRoute(server: HttpServer, deps: ExactCountDeps): void {
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
        '`recount`. An account has four open counts; each ends after six hours at most.',
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
      const { recount: isForced, ...question } = body;
      requireCountries(request, question.countries);
      const errors = checkAgainstConfig({ countries: question.countries, chain: [] }, await catalogue.refresh());
      if (errors.length > 0) throw invalidRequest(errors);
      const key = await findCountKey(question, deps);
      const { key: requestedBy, account } = callerOf(request);
      const countId = begun?.createdId ?? uuidv7();
      const outcome = await countRequests.request({
        countId,
        question,
        key,
        isForced,
        by: { key: requestedBy, account },
      });
      if (outcome.kind === 'too-many') throw tooManyCounts();
      const view = countView(outcome.record);
      request.auditDetail = { created: view.id };
      return reply
        .code(outcome.kind === 'begun' ? 201 : 200)
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
    handler: async ({ params: { id } }) => countView(await requireCount(id, countRequests.get)),
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
      return countView(await requireCount(id, countRequests.cancel));
    },
  });
}

/**
 * Returns a requested count.
 * @throws {HttpProblem} 404, also for a malformed id
 */
async function requireCount(
  id: string,
  find: (countId: string) => Promise<CountRecord | undefined>,
): Promise<CountRecord> {
  const countId = uuidOf('audienceCount', id);
  const record = countId && (await find(countId));
  if (!record) throw notFound('exact-count', id);
  return record;
}

/**
 * Checks that the caller's scope contains the countries.
 * @throws {HttpProblem} 403
 */
function requireCountries(request: FastifyRequest, countries: readonly string[]): void {
  if (!holdsAll(scopeOf(request).countries, countries))
    throw outOfScope(`this key is not for all of ${countries.join(', ')}`);
}

/**
 * Returns the key under which a count of these sources is stored. The key includes the current snapshots of the
 * segments.
 * @throws {HttpProblem} 422 for a source that does not exist, 409 if a source cannot be verified now
 */
async function findCountKey(question: CountQuestion, deps: EstimateSourcesDeps): Promise<string> {
  const { countries } = question;
  const sides = [
    { audience: question.audience, at: '/audience' },
    ...(question.with ? [{ audience: question.with, at: '/with' }] : []),
  ];
  const sideEstimates = await Promise.all(
    sides.map(async (side) => withPointers(await estimateSources({ ...side, countries }, deps), side.at)),
  );
  const missing = sideEstimates.flatMap((each) => each.problems);
  if (missing.length > 0) throw invalidRequest(missing);
  const open = sideEstimates.flatMap(({ warnings }) => warnings.filter(({ code }) => blockingWarnings.includes(code)));
  if (open.length > 0) throw notCountableNow(open);
  return countKeyOf(question, snapshotsOf(sideEstimates.flatMap(({ sources }) => sources)));
}

const blockingWarnings = ['unverified-segment', 'run-not-ended'];

function withPointers(sourceEstimates: SourceEstimates, at: string): SourceEstimates {
  const moved = <Problem extends FieldProblem>(problem: Problem): Problem => ({
    ...problem,
    pointer: problem.pointer.replace(/^\/audience/, at),
  });
  return {
    ...sourceEstimates,
    problems: sourceEstimates.problems.map(moved),
    warnings: sourceEstimates.warnings.map(moved),
  };
}

function notCountableNow(errors: readonly FieldProblem[]): HttpProblem {
  const detail = 'the audience cannot be counted now: some of its sources cannot be verified';
  return new HttpProblem({ status: 409, code: 'not-countable-now', detail, errors });
}

function tooManyCounts(): HttpProblem {
  const detail = `${openCountsAtMost} counts of your account are open: cancel one, or try again later`;
  return new HttpProblem({ status: 429, code: 'too-many-counts', detail, headers: { 'retry-after': '10' } });
}
