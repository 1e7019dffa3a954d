import type { ListedAudience, AudienceSize } from '../../../../shared/contracts/campaigns/audiences.ts';
import type { OfferedSegment } from '../../../../shared/contracts/endpoints/segmentation.ts';
import { publicId } from '../../../../shared/domain/ids/ids.ts';
import type { NamedRow } from './postgres/listed-audience-store.ts';

/**
 * Returns the view of a used source.
 * @param offered description of a segment by the segmentation service, if available
 * @param country country to which the sizes from the service are limited; undefined for all
 */
export function namedView(row: NamedRow, offered: OfferedSegment | undefined, country?: string): ListedAudience {
  const { kind, source: id, owner, revision, audience, state, rejected, usedBy, excludedBy, usedBySaved } = row;
  const { createdAt, expiresAt } = row;
  const { campaignId, campaignName, savedAudienceId, savedName } = row;
  return {
    kind,
    id,
    name: row.name ?? offered?.name ?? id,
    owner,
    description: row.description ?? offered?.description ?? null,
    countries: row.countries ?? offered?.countries ?? null,
    revision,
    audience,
    state,
    size: sizeOf(row) ?? offeredSize(offered, country),
    rejected,
    usedBy,
    excludedBy,
    usedBySaved,
    latestUse:
      campaignId === null || campaignName === null
        ? null
        : { campaignId: publicId('campaign', campaignId), name: campaignName },
    latestSaved:
      savedAudienceId === null || savedName === null
        ? null
        : { savedAudienceId: publicId('savedAudience', savedAudienceId), name: savedName },
    createdAt: createdAt?.toISOString() ?? null,
    expiresAt: expiresAt?.toISOString() ?? null,
    links: linksOf(kind, id),
  };
}

/** Returns the view of a segment that no campaign uses, or that only the service found by its name. */
export function offeredView(
  segment: OfferedSegment,
  uses: Pick<ListedAudience, 'usedBy' | 'usedBySaved'>,
  country?: string,
): ListedAudience {
  const { id, name = id, description = null, countries = null } = segment;
  return {
    kind: 'segment',
    id,
    name,
    description,
    owner: null,
    countries,
    revision: null,
    audience: null,
    state: null,
    size: offeredSize(segment, country),
    rejected: null,
    ...uses,
    excludedBy: 0,
    latestUse: null,
    latestSaved: null,
    createdAt: null,
    expiresAt: null,
    links: linksOf('segment', id),
  };
}

function sizeOf({ counted, estimated, countries }: NamedRow): AudienceSize | null {
  if (counted) {
    const { users, asOf, id, countries: counts } = counted;
    const countId = id === null ? null : publicId('audienceCount', id);
    const [atLeast, atMost] = [users, users];
    return { atLeast, atMost, exact: true, asOf: new Date(asOf).toISOString(), countId, countries: counts };
  }
  if (!estimated) return null;
  const { atLeast, atMost, asOf } = estimated;
  return { atLeast, atMost, exact: false, asOf: new Date(asOf).toISOString(), countId: null, countries };
}

function offeredSize(segment: OfferedSegment | undefined, country: string | undefined): AudienceSize | null {
  const { estimate = null, countries = null } = segment ?? {};
  if (estimate === null) return null;
  const where = country === undefined ? countries : [country];
  return { atLeast: estimate, atMost: estimate, exact: false, asOf: null, countId: null, countries: where };
}

function linksOf(kind: ListedAudience['kind'], id: string): ListedAudience['links'] {
  const encodedId = encodeURIComponent(id);
  if (kind === 'segment') return { self: null, campaigns: `/v1/campaigns?segment=${encodedId}` };
  const filter = kind === 'list' ? 'list' : 'savedAudience';
  return { self: `/v1/audiences/${encodedId}`, campaigns: `/v1/campaigns?${filter}=${encodedId}` };
}
