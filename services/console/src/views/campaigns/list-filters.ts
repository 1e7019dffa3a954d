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
export function noMatch(search: CampaignsSearch, totalOfAll = 0): NoMatch {
  const { state, text, country, action, tag, owner, list, segment, savedAudience } = search;
  const filters = [
    ...(text === undefined ? [] : [{ name: text, words: `called “${text}”`, off: { text: undefined } }]),
    ...(action === undefined
      ? []
      : [{ name: titleOf(action), words: `action ${quotedTitleOf(action)}`, off: { action: undefined } }]),
    ...(country === undefined ? [] : [{ name: country, words: `country ${country}`, off: { country: undefined } }]),
    ...(tag === undefined ? [] : [{ name: tag, words: `tag ${tag}`, off: { tag: undefined } }]),
    ...(owner === undefined ? [] : [{ name: owner, words: `owner ${owner}`, off: { owner: undefined } }]),
    ...(list === undefined ? [] : [{ name: 'the list', words: 'of an uploaded list', off: { list: undefined } }]),
    ...(segment === undefined
      ? []
      : [{ name: 'the segment', words: `of the segment ${segment}`, off: { segment: undefined } }]),
    ...(savedAudience === undefined
      ? []
      : [{ name: 'the saved audience', words: 'of a saved audience', off: { savedAudience: undefined } }]),
    ...(state === undefined ? [] : [{ name: stateWords(state), words: stateWords(state), off: { state: undefined } }]),
  ];
  // If only the state excludes all campaigns, it is removed first, because the number of hidden campaigns is known.
  const hidden = state === undefined ? 0 : totalOfAll;
  const narrowest = hidden > 0 ? filters.at(-1) : filters[0];
  const others = state !== undefined && hidden > 0 ? ` Not ${stateWords(state)}: ${formatCount(hidden)}.` : '';
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
