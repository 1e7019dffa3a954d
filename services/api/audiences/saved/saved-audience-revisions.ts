import { savedAudienceRevision } from '../../../../shared/contracts/campaigns/revisions.ts';
import {
  savedAudienceDefinition,
  savedAudienceWithWarnings,
} from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { uuidOf } from '../../../../shared/domain/ids/ids.ts';
import { notFound } from '../../frame/http-problem.ts';
import { entityTag, requireRevision } from '../../frame/if-match.ts';
import type { Revisions } from '../../revisions/revisions.port.ts';
import type { RevisionRoutesDeps } from '../../revisions/revision-routes.ts';
import type { UsedSavedAudience } from './postgres/saved-audience-store.ts';
import { redefineSaved, requireSaved, type SavedAudienceDeps } from './redefine-saved.ts';
import { savedAudienceView } from './saved-audience-view.ts';

export function revisionsOfSaved(
  deps: SavedAudienceDeps & { revisions: Revisions },
): RevisionRoutesDeps<UsedSavedAudience> {
  return {
    revisions: () => deps.revisions.savedAudience,
    shapes: {
      definition: savedAudienceDefinition,
      revision: savedAudienceRevision,
      restored: savedAudienceWithWarnings,
    },
    checks:
      'Its sources are checked as in a change, so a list that was deleted is refused. Campaigns with copies of the sources are unchanged.',
    load: (id) => {
      const uuid = uuidOf('savedAudience', id);
      if (uuid === undefined) throw notFound('audience', id);
      return requireSaved({ id, uuid }, deps);
    },
    requireChangeable: requireRevision,
    restore: (request, before, definition) => redefineSaved(request, before, definition, deps),
    view: ({ record, warnings }) => ({
      etag: entityTag(record.revision),
      body: { ...savedAudienceView(record), warnings },
    }),
  };
}
