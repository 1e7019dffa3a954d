import type { SavedAudience, SavedAudienceEstimate } from '../../../../shared/contracts/campaigns/saved-audiences.ts';
import type { UserBounds } from '../../../../shared/contracts/campaigns/user-bounds.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { AskedSources } from '../ask/asked-sources.ts';
import { countryEstimates, sumOfBounds } from '../ask/estimate-view.ts';
import type { SavedAudienceRecord, UsedSavedAudience } from './postgres/saved-audience-store.ts';

export function savedAudienceView(record: UsedSavedAudience): SavedAudience {
  const { savedAudienceId, revision, definition, usedBy, latest, createdAt, updatedAt } = record;
  const id = publicId('savedAudience', savedAudienceId);
  const self = `/v1/saved-audiences/${id}`;
  return {
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
    links: { self, estimate: `${self}/estimate`, campaigns: `/v1/campaigns?savedAudience=${id}` },
  };
}

export function savedEstimateView(
  { savedAudienceId, definition: { countries, audience } }: SavedAudienceRecord,
  asked: AskedSources,
  now: Date,
): SavedAudienceEstimate {
  const estimates = countryEstimates(countries, asked);
  return {
    savedAudienceId: publicId('savedAudience', savedAudienceId),
    asOf: now.toISOString(),
    countries: estimates,
    users: sumOfBounds(estimates),
    holdOutPercent: audience.holdOutPercent ?? 0,
    warnings: asked.warnings,
  };
}

export function savedBounds(countries: readonly string[], asked: AskedSources): UserBounds {
  return sumOfBounds(countryEstimates(countries, asked));
}
