import type { FastifyRequest } from 'fastify';
import {
  audiencePreview,
  previewRequest,
  type AudiencePreview,
} from '../../../shared/contracts/campaigns/audiences.ts';
import { sourceRefusals } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { SavedAudienceDefinition } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import { requireVisible } from '../access/scopes.ts';
import type { Owners } from '../access/owners.port.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { UsedSavedAudience } from './saved/postgres/saved-audience-store.ts';
import { storeEstimate, requireSaved, type SavedAudienceDeps } from './saved/redefine-saved.ts';
import { estimateSources } from './estimates/estimate-sources.ts';
import type { SourceEstimates } from './estimates/source-estimates.ts';
import { countryEstimates, sumOfBounds } from './estimates/estimate-view.ts';

export interface PreviewRouteDeps extends SavedAudienceDeps {
  owners: Owners;
}

/** Registers the route that estimates a saved audience, or sources in the request. */
export function previewRoute(server: HttpServer, parts: PreviewRouteDeps): void {
  server.route({
    method: 'POST',
    url: '/audiences/preview',
    // The request has no entry in the audit log, because it changes nothing. A preview of a campaign returns the same
    // estimate.
    config: { role: 'manager', scope: 'calculation', heavy: 'previews', isFrequent: true, refusals: sourceRefusals },
    schema: {
      operationId: 'previewAudience',
      summary: 'Estimate how many users an audience has now',
      description:
        'The size of each source by country, and the bounds for all of them together; the number of users if the same sources were counted ' +
        'exactly. The list of audiences shows the last estimate of a saved audience. `POST /v1/audiences/exact-counts` counts.',
      tags: ['audiences'],
      body: previewRequest,
      response: { 200: jsonAnswer('The estimate', audiencePreview), ...problems(404) },
    },
    handler: async (request) => {
      const { body } = request;
      if (!('id' in body)) return estimateOf(null, body, await estimateUsable(body, parts), parts);
      const saved = await savedInScope(request, body.id, parts);
      const sourceEstimates = await estimateUsable(saved.definition, parts);
      await storeEstimate(saved, sourceEstimates, parts);
      return estimateOf(body.id, saved.definition, sourceEstimates, parts);
    },
  });
}

type Sources = Pick<SavedAudienceDefinition, 'countries' | 'audience'>;

/**
 * Returns the saved audience.
 * @throws {HttpProblem} 404 if it does not exist or is outside the caller's scope
 */
async function savedInScope(request: FastifyRequest, id: string, deps: PreviewRouteDeps): Promise<UsedSavedAudience> {
  const uuid = uuidOf('savedAudience', id);
  if (uuid === undefined) throw notFound('audience', id);
  await requireVisible(request, 'savedAudience', [uuid], deps);
  return requireSaved({ id, uuid }, deps);
}

/**
 * Returns the estimate of the sources.
 * @throws {HttpProblem} 422 for a source that does not exist
 */
async function estimateUsable(sources: Sources, deps: PreviewRouteDeps): Promise<SourceEstimates> {
  const sourceEstimates = await estimateSources(sources, deps);
  if (sourceEstimates.problems.length > 0) throw invalidRequest(sourceEstimates.problems);
  return sourceEstimates;
}

function estimateOf(
  id: string | null,
  { countries, audience }: Sources,
  sourceEstimates: SourceEstimates,
  { clock }: PreviewRouteDeps,
): AudiencePreview {
  const estimates = countryEstimates(countries, sourceEstimates);
  return {
    id,
    asOf: clock.now().toISOString(),
    countries: estimates,
    users: sumOfBounds(estimates),
    holdOutPercent: audience.holdOutPercent ?? 0,
    warnings: sourceEstimates.warnings,
  };
}
