import type { FastifyRequest } from 'fastify';
import type { SavedAudienceDefinition } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import { callerOf, requireCampaignInScope } from '../../access/scopes.ts';
import { checkAgainstConfig } from '../../campaigns/check-campaign.ts';
import type { CatalogueReader } from '../../frame/catalogue-reader.ts';
import { invalidRequest, notFound } from '../../frame/http-problem.ts';
import { requireWritten } from '../../frame/if-match.ts';
import type { RestoreResult } from '../../revisions/revision-routes.ts';
import { estimateSources, type EstimateSourcesDeps } from '../estimates/estimate-sources.ts';
import type { SourceEstimates } from '../estimates/source-estimates.ts';
import { countryEstimates, sumOfBounds } from '../estimates/estimate-view.ts';
import type { SavedAudiences, UsedSavedAudience } from './postgres/saved-audience-store.ts';

export interface SavedAudienceDeps extends EstimateSourcesDeps {
  savedAudiences: SavedAudiences;
  catalogue: CatalogueReader;
}

/** Saved audience with the public id and the UUID of a request. */
export interface NamedSaved {
  id: string;
  uuid: string;
}

/**
 * Returns the saved audience.
 * @throws {HttpProblem} 404
 */
export async function requireSaved(
  { id, uuid }: NamedSaved,
  { savedAudiences }: SavedAudienceDeps,
): Promise<UsedSavedAudience> {
  const record = await savedAudiences.get(uuid);
  if (!record) throw notFound('audience', id);
  return record;
}

/**
 * Stores the next revision of a saved audience, and its estimate.
 * @throws {HttpProblem} 422 for unusable sources; 403 outside the scope; 412 if the saved audience has changed since
 */
export async function redefineSaved(
  request: FastifyRequest,
  { savedAudienceId, revision }: UsedSavedAudience,
  wanted: SavedAudienceDefinition,
  deps: SavedAudienceDeps,
): Promise<RestoreResult<UsedSavedAudience>> {
  const sourceEstimates = await requireUsable(request, wanted, deps);
  const redefined = await deps.savedAudiences.redefine(savedAudienceId, wanted, revision, callerOf(request).account);
  const id = publicId('savedAudience', savedAudienceId);
  if (!redefined) throw notFound('audience', id);
  if (redefined === 'list-gone') return refuseDeletedList(request, wanted, deps);
  const record = requireWritten(id, redefined);
  await storeEstimate(record, sourceEstimates, deps);
  return { record, warnings: sourceEstimates.warnings };
}

/**
 * Checks that all sources exist. A source whose service does not respond passes.
 * @throws {HttpProblem} 422 for a missing source; 403 outside the scope
 */
export async function requireUsable(
  request: FastifyRequest,
  { countries, audience }: SavedAudienceDefinition,
  deps: SavedAudienceDeps,
): Promise<SourceEstimates> {
  const errors = checkAgainstConfig({ countries, chain: [] }, await deps.catalogue.refresh());
  if (errors.length > 0) throw invalidRequest(errors);
  requireCampaignInScope(request, { countries, chain: [] });
  const sourceEstimates = await estimateSources({ countries, audience }, deps);
  if (sourceEstimates.problems.length > 0) throw invalidRequest(sourceEstimates.problems);
  return sourceEstimates;
}

/**
 * Throws the problem of a list that was deleted after its check.
 * @throws {HttpProblem} 422, always
 */
export async function refuseDeletedList(
  request: FastifyRequest,
  definition: SavedAudienceDefinition,
  deps: SavedAudienceDeps,
): Promise<never> {
  await requireUsable(request, definition, deps);
  const detail = 'a list that it names was deleted while it was saved';
  throw invalidRequest([{ pointer: '/audience', code: 'unknown-list', detail }]);
}

/**
 * Stores the estimate that the list of all audiences shows, because that list does not call the segmentation service.
 */
export async function storeEstimate(
  record: UsedSavedAudience,
  sourceEstimates: SourceEstimates,
  { savedAudiences, clock }: SavedAudienceDeps,
): Promise<void> {
  const bounds = sumOfBounds(countryEstimates(record.definition.countries, sourceEstimates));
  await savedAudiences.saveEstimate(record, bounds, clock.now());
}
