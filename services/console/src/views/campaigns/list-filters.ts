import { formatCount } from '../../parts/words/numbers.ts';
import type { CampaignsSearch } from './search.ts';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';

interface NoMatch {
  /** The filter to remove first: text of its button, and the change that removes it. */
  drop: { name: string; off: Partial<CampaignsSearch> } | undefined;
  words: string;
}

export function hasFilters(search: CampaignsSearch): boolean {
  const { state, text, country, action, tag, owner, list, segment, savedAudience } = search;
  return [state, text, country, action, tag, owner, list, segment, savedAudience].some((each) => each !== undefined);
}

/**
 * Describes why no campaign matches the filters.
 * @param totalOfAll number of campaigns with the other filters, in any state
 */
export function describeNoMatch(search: CampaignsSearch, totalOfAll = 0): NoMatch {
  const { state, text, country, action, tag, owner, list, segment, savedAudience } = search;
  const filters = [
    ...(text === undefined ? [] : [{ name: text, words: `matching “${text}”`, off: { text: undefined } }]),
    ...(action === undefined
      ? []
      : [{ name: titleOf(action), words: `action ${quotedTitleOf(action)}`, off: { action: undefined } }]),
    ...(country === undefined ? [] : [{ name: country, words: `country ${country}`, off: { country: undefined } }]),
    ...(tag === undefined ? [] : [{ name: tag, words: `tag ${tag}`, off: { tag: undefined } }]),
    ...(owner === undefined ? [] : [{ name: owner, words: `owner ${owner}`, off: { owner: undefined } }]),
    ...(list === undefined ? [] : [{ name: 'the list', words: 'with an uploaded list', off: { list: undefined } }]),
    ...(segment === undefined
      ? []
      : [{ name: 'the segment', words: `with the segment ${segment}`, off: { segment: undefined } }]),
    ...(savedAudience === undefined
      ? []
      : [{ name: 'the saved audience', words: 'with a saved audience', off: { savedAudience: undefined } }]),
    ...(state === undefined ? [] : [{ name: stateWords(state), words: stateWords(state), off: { state: undefined } }]),
  ];
  // If campaigns match in other states, the state filter is suggested for removal. The text includes the number of
  // these campaigns.
  const hidden = state === undefined ? 0 : totalOfAll;
  const narrowest = hidden > 0 ? filters.at(-1) : filters[0];
  const others = state !== undefined && hidden > 0 ? ` In other states: ${formatCount(hidden)}.` : '';
  return {
    drop: filters.length > 1 ? narrowest : undefined,
    words: `${capital(filters.map(({ words }) => words).join(', '))}.${others}`,
  };
}

function stateWords(state: string): string {
  return state.replaceAll('-', ' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
