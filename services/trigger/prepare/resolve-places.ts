import pLimit, { type LimitFunction } from 'p-limit';
import type { AudienceEntry, CampaignDefinition } from '../../../shared/contracts/campaigns/campaigns.ts';
import type { FeedAudience, SourcePlace } from '../../../shared/contracts/runs/feed-audience.ts';
import { resolveSource, type ResolveDeps, type Resolved } from './resolve-audience.ts';
import { sourcesElsewhere } from './sources-elsewhere.ts';

/**
 * Maximum number of concurrent requests of one run after its first response. The first request is sent alone, so that a
 * run whose requests hang occupies only one place.
 */
const maxQuestionsPerRun = 8;

export interface PlacesRequest {
  countries: readonly string[];
  audience: Pick<CampaignDefinition['audience'], 'include' | 'exclude'>;
}

export interface Place {
  entry: AudienceEntry;
  isExcluded: boolean;
  country: string;
}

export type ResolvedPlace = Place & { resolved: Resolved };

/** Resolves every source in every country. If the first one does not resolve, returns only that one. */
export async function resolvePlaces(
  request: PlacesRequest,
  deps: ResolveDeps & { requestLimit: LimitFunction },
  signal: AbortSignal,
): Promise<ResolvedPlace[]> {
  const resolve = async (place: Place): Promise<ResolvedPlace> => {
    const resolved = await deps.requestLimit(() => resolveSource(place.entry, place.country, deps, signal));
    return { ...place, resolved };
  };
  const [first, ...others] = placesOf(request);
  if (!first) return [];
  const answered = await resolve(first);
  if (answered.resolved.kind !== 'source') return [answered];
  return [answered, ...(await pLimit(maxQuestionsPerRun).map(others, resolve))];
}

function placesOf({ audience, countries }: PlacesRequest): Place[] {
  const placed = (entries: readonly AudienceEntry[], isExcluded: boolean) =>
    entries.flatMap((entry) => countries.map((country) => ({ entry, isExcluded, country })));
  return [...placed(audience.include, false), ...placed(audience.exclude ?? [], true)];
}

export function foundSources(places: readonly ResolvedPlace[]): SourcePlace[] {
  return places.flatMap(({ resolved, isExcluded, country }) =>
    resolved.kind === 'source' ? [{ source: resolved.source, isExcluded, country }] : [],
  );
}

export function audienceIn(
  country: string,
  sources: readonly SourcePlace[],
  holdOut: FeedAudience['holdOut'],
): FeedAudience {
  const own = sources.filter((place) => place.country === country);
  const include = own.filter(({ isExcluded }) => !isExcluded).map(({ source }) => source);
  const exclude = own.filter(({ isExcluded }) => isExcluded).map(({ source }) => source);
  return { include, exclude, elsewhere: sourcesElsewhere(country, sources), holdOut };
}
