import type { ListedAudience } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { formatCountries } from './detail/size-words.ts';
import type { AudiencesSearch } from './search.ts';

export function createListQuery({ text, owner, kind, show, cursor }: AudiencesSearch) {
  return {
    ...(text !== undefined && { q: text }),
    ...(owner !== undefined && { owner }),
    ...(kind !== undefined && { kind }),
    ...(show === 'bad-lines' && { rejected: 'true' as const }),
    ...(show === 'failed' && { state: 'failed' as const }),
    ...(show === 'not-used' && { used: 'false' as const }),
    ...(cursor !== undefined && { cursor }),
  };
}

const kindWords = { list: 'uploaded list', segment: 'segment', saved: 'saved' } as const;
const filteredWords = { list: 'uploaded lists', segment: 'segments', saved: 'saved audiences' } as const;
const showWords = { 'bad-lines': 'with rejected lines', 'not-used': 'not used', failed: 'failed' } as const;

export function describeFilters({ text, owner, kind, show }: AudiencesSearch): string {
  const words = [
    text !== undefined && `Matching “${text}”`,
    owner !== undefined && `owner ${owner}`,
    kind !== undefined && filteredWords[kind],
    show !== undefined && showWords[show],
  ].filter(Boolean);
  return `${words.join(', ').replace(/^./, (first) => first.toUpperCase())}.`;
}

/** Returns kind and origin: `saved · growth-sea`, `uploaded list · ID, VN`, `segment · lapsed-riders`. */
export function describeSource({ kind, id, name, owner, countries }: ListedAudience): string {
  const more =
    kind === 'segment' ? (name === id ? null : id) : (owner ?? (kind === 'list' ? formatCountries(countries) : null));
  return more === null ? kindWords[kind] : `${kindWords[kind]} · ${plainText(more)}`;
}

/** Describes the number of uses. The note names the latest use, or states that all uses exclude the audience. */
export function describeUse({ usedBy, excludedBy, usedBySaved, latestUse, latestSaved }: ListedAudience): {
  count: string;
  note: string | null;
} {
  const campaigns = usedBy > 0 ? [countOf(usedBy, 'campaign')] : [];
  // The text is shorter if campaigns are listed too.
  const saved = usedBy > 0 ? `${formatCount(usedBySaved)} saved` : countOf(usedBySaved, 'audience');
  const uses = [...campaigns, ...(usedBySaved > 0 ? [saved] : [])];
  if (uses.length === 0) return { count: 'not used', note: null };
  const count = uses.join(', ');
  if (usedBySaved === 0 && excludedBy === usedBy)
    return { count, note: usedBy === 1 ? 'excluded in it' : 'excluded in all of them' };
  const latest = latestUse ?? latestSaved;
  return { count, note: latest && plainText(latest.name) };
}
