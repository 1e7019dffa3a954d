import type { ListedAudience } from '#client/types.gen.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import type { AudiencesSearch } from './search.ts';

export function listQuery({ text, owner, kind, show, cursor }: AudiencesSearch) {
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
const shownWords = { 'bad-lines': 'with bad lines', 'not-used': 'not used', failed: 'failed' } as const;

export function filterWords({ text, owner, kind, show }: AudiencesSearch): string {
  const words = [
    text !== undefined && `Called “${text}”`,
    owner !== undefined && `owner ${owner}`,
    kind !== undefined && filteredWords[kind],
    show !== undefined && shownWords[show],
  ].filter(Boolean);
  return `${words.join(', ').replace(/^./, (first) => first.toUpperCase())}.`;
}

/** Returns kind and origin: `saved · growth-sea`, `uploaded list · ID, VN`, `segment · lapsed-riders`. */
export function sourceWords({ kind, id, name, owner, countries }: ListedAudience): string {
  const more =
    kind === 'segment' ? (name === id ? null : id) : (owner ?? (kind === 'list' ? countriesText(countries) : null));
  return more === null ? kindWords[kind] : `${kindWords[kind]} · ${plainText(more)}`;
}

function countriesText(countries: readonly string[] | null): string | null {
  if (countries === null || countries.length === 0) return null;
  return countries.length <= 6 ? countries.join(', ') : `${countries.length} countries`;
}

/** Returns the text before the time of a size: `counted`, `estimated in SG`. Empty for a list. */
export function sizeVerb({ kind, countries, size }: Pick<ListedAudience, 'kind' | 'countries' | 'size'>): string {
  if (size === null || kind === 'list') return '';
  const where = size.countries === null || isSame(size.countries, countries) ? null : countriesText(size.countries);
  return `${size.exact ? 'counted' : 'estimated'}${where === null ? '' : ` in ${where}`}`;
}

function isSame(some: readonly string[], others: readonly string[] | null): boolean {
  return others?.length === some.length && some.every((each) => others.includes(each));
}

/** Describes the number of uses, with a note if that is more than the newest campaign. */
export function wordsOfUse({ usedBy, leftOutBy, usedBySaved, latestUse, latestSaved }: ListedAudience): {
  count: string;
  note: string | null;
} {
  const campaigns = usedBy > 0 ? [countOf(usedBy, 'campaign')] : [];
  // Shortened if campaigns are listed too.
  const saved = usedBy > 0 ? `${formatCount(usedBySaved)} saved` : countOf(usedBySaved, 'audience');
  const uses = [...campaigns, ...(usedBySaved > 0 ? [saved] : [])];
  if (uses.length === 0) return { count: 'not used', note: null };
  const count = uses.join(', ');
  if (usedBySaved === 0 && leftOutBy === usedBy)
    return { count, note: usedBy === 1 ? 'left out in it' : 'left out in all of them' };
  const latest = latestUse ?? latestSaved;
  return { count, note: latest && plainText(latest.name) };
}
