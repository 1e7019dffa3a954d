import type { FastifyRequest } from 'fastify';
import { v7 as uuidv7 } from 'uuid';
import type { z } from 'zod';
import { sourceRefusals } from '../../../../shared/contracts/campaigns/campaigns.ts';
import {
  savedAudienceDefinition,
  savedAudienceWithWarnings,
  type SavedAudienceDefinition,
} from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import type { AudiencePatch } from '../../../../shared/contracts/campaigns/audiences.ts';
import { callerOf } from '../../access/scopes.ts';
import { withoutAbsent } from '../../campaigns/about-parts.ts';
import { jsonAnswer } from '../../frame/document/answer-shapes.ts';
import { invalidRequest } from '../../frame/http-problem.ts';
import { requireRevision } from '../../frame/if-match.ts';
import { checkShape } from '../../frame/server/check-shape.ts';
import type { HttpServer } from '../../frame/server/create-http-server.ts';
import { idempotentHeaders } from '../../frame/server/idempotency.ts';
import {
  redefineSaved,
  refuseDeletedList,
  storeEstimate,
  requireSaved,
  requireUsable,
  type NamedSaved,
  type SavedAudienceDeps,
} from './redefine-saved.ts';
import { savedAudienceView } from './saved-audience-view.ts';

export function saveRoute(server: HttpServer, deps: SavedAudienceDeps): void {
  server.route({
    method: 'POST',
    url: '/audiences',
    config: { role: 'manager', scope: 'campaign', refusals: sourceRefusals, audit: 'created an audience' },
    schema: {
      operationId: 'createAudience',
      summary: 'Save a combination of sources under a name',
      description:
        'Campaigns copy its sources, and remember its revision. With an `Idempotency-Key`, a repeat creates nothing. Lists are created by their upload.',
      tags: ['audiences'],
      headers: idempotentHeaders,
      body: savedAudienceDefinition,
      response: { 201: jsonAnswer('The saved audience', savedAudienceWithWarnings) },
    },
    handler: async (request, reply) => {
      const { begun, body } = request;
      const sourceEstimates = await requireUsable(request, body, deps);
      const { account } = callerOf(request);
      const record = await deps.savedAudiences.create(begun?.createdId ?? uuidv7(), body, account);
      if (record === 'list-gone') return refuseDeletedList(request, body, deps);
      await storeEstimate(record, sourceEstimates, deps);
      const view = savedAudienceView(record);
      return reply
        .code(201)
        .header('location', view.links.self)
        .send({ ...view, warnings: sourceEstimates.warnings });
    },
  });
}

/**
 * Changes a saved audience by storing its next revision.
 * @throws {HttpProblem} 403, 404, 412, 422
 */
export async function changeSaved(
  request: FastifyRequest,
  { patch, ...named }: NamedSaved & { patch: AudiencePatch },
  deps: SavedAudienceDeps,
): Promise<ChangedSaved> {
  const before = await requireSaved(named, deps);
  requireRevision(named.id, before, request.headers['if-match']);
  const { record, warnings } = await redefineSaved(request, before, applyPatch(before.definition, patch), deps);
  request.auditDetail = { name: record.definition.name, revision: record.revision };
  return { ...savedAudienceView(record), warnings };
}

type ChangedSaved = z.infer<typeof savedAudienceWithWarnings>;

/** Deletes a saved audience. Succeeds if it does not exist. */
export async function deleteSaved(
  request: FastifyRequest,
  { uuid }: NamedSaved,
  { savedAudiences }: SavedAudienceDeps,
): Promise<void> {
  const before = await savedAudiences.get(uuid);
  if (before) request.auditDetail = { name: before.definition.name, revision: before.revision };
  await savedAudiences.delete(uuid);
}

/**
 * Applies a patch to a definition.
 * @throws {HttpProblem} 422 if the result is invalid
 */
function applyPatch(before: SavedAudienceDefinition, patch: AudiencePatch): SavedAudienceDefinition {
  const checked = checkShape(savedAudienceDefinition, withoutAbsent({ ...before, ...patch }));
  if (!checked.ok) throw invalidRequest(checked.problems, checked.more);
  return checked.value;
}
