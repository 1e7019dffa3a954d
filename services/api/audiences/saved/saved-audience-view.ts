import type { SavedAudience } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { UsedSavedAudience } from './postgres/saved-audience-store.ts';

export function savedAudienceView(record: UsedSavedAudience): SavedAudience {
  const { savedAudienceId, revision, definition, usedBy, latest, createdAt, updatedAt } = record;
  const id = publicId('savedAudience', savedAudienceId);
  const self = `/v1/audiences/${id}`;
  return {
    kind: 'saved',
    id,
    revision,
    ...definition,
    usedBy,
    latestUse: latest && {
      campaignId: publicId('campaign', latest.campaignId),
      name: latest.name,
      revision: latest.revision,
      createdAt: latest.createdAt.toISOString(),
    },
    createdAt: createdAt.toISOString(),
    updatedAt: updatedAt.toISOString(),
    links: { self, campaigns: `/v1/campaigns?savedAudience=${id}` },
  };
}
