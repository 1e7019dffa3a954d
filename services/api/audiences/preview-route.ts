import type { FastifyRequest } from 'fastify';
import {
  audiencePreview,
  previewRequest,
  type AudiencePreview,
} from '../../../shared/contracts/campaigns/audiences.ts';
import { sourceRefusals } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { SavedAudienceDefinition } from '../../../shared/contracts/campaigns/saved-audiences.ts';
import { requireSeen } from '../access/scopes.ts';
import type { Owners } from '../access/owners.port.ts';
import { jsonAnswer, problems } from '../frame/document/answer-shapes.ts';
import { invalidRequest, notFound } from '../frame/http-problem.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import type { HttpServer } from '../frame/server/create-http-server.ts';
import type { UsedSavedAudience } from './saved/postgres/saved-audience-store.ts';
import { rememberEstimate, requireSaved, type SavedAudienceDeps } from './saved/redefine-saved.ts';
import { askSources } from './ask/ask-sources.ts';
import type { AskedSources } from './ask/asked-sources.ts';
import { countryEstimates, sumOfBounds } from './ask/estimate-view.ts';

export interface PreviewRouteDeps extends SavedAudienceDeps {
  owners: Owners;
}

/** Registers the estimate of a saved audience, or of sources that the request names. */
export function previewRoute(server: HttpServer, parts: PreviewRouteDeps): void {
  server.route({
    method: 'POST',
    url: '/audiences/preview',
    // Changes nothing that an audit would look for, and a preview of a campaign computes the same result.
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
      if (!('id' in body)) return estimateOf(null, body, await askUsable(body, parts), parts);
      const saved = await savedInScope(request, body.id, parts);
      const asked = await askUsable(saved.definition, parts);
      await rememberEstimate(saved, asked, parts);
      return estimateOf(body.id, saved.definition, asked, parts);
    },
  });
}

type Sources = Pick<SavedAudienceDefinition, 'countries' | 'audience'>;

/** @throws {HttpProblem} 404, also for a saved audience outside of the caller's scope */
async function savedInScope(request: FastifyRequest, id: string, deps: PreviewRouteDeps): Promise<UsedSavedAudience> {
  const uuid = uuidOf('savedAudience', id);
  if (uuid === undefined) throw notFound('audience', id);
  await requireSeen(request, 'savedAudience', [uuid], deps);
  return requireSaved({ id, uuid }, deps);
}

/** @throws {HttpProblem} 422 for a source that does not exist */
async function askUsable(sources: Sources, deps: PreviewRouteDeps): Promise<AskedSources> {
  const asked = await askSources(sources, deps);
  if (asked.problems.length > 0) throw invalidRequest(asked.problems);
  return asked;
}

function estimateOf(
  id: string | null,
  { countries, audience }: Sources,
  asked: AskedSources,
  { clock }: PreviewRouteDeps,
): AudiencePreview {
  const estimates = countryEstimates(countries, asked);
  return {
    id,
    asOf: clock.now().toISOString(),
    countries: estimates,
    users: sumOfBounds(estimates),
    holdOutPercent: audience.holdOutPercent ?? 0,
    warnings: asked.warnings,
  };
}
