import { formatCount } from '../../parts/words/numbers.ts';
import type { CampaignsSearch } from './search.ts';
import { quotedTitleOf, titleOf } from '../../parts/words/action-titles.ts';

interface NoMatch {
  /** The filter that is best dropped: what its button is called, and how it is dropped. */
  drop: { name: string; off: Partial<CampaignsSearch> } | undefined;
  /** What was looked for. */
  words: string;
}

export function hasFilters(search: CampaignsSearch): boolean {
  const { state, text, country, action, tag, owner, list, segment, savedAudience } = search;
  return [state, text, country, action, tag, owner, list, segment, savedAudience].some((each) => each !== undefined);
}

/**
 * What is said where no campaign has all that is wanted.
 *
 * @param totalOfAll how many there are without the choice of a state
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
  // A state that the others leave nothing of is dropped first: how many it hides is known.
  const hidden = state === undefined ? 0 : totalOfAll;
  const narrowest = hidden > 0 ? filters.at(-1) : filters[0];
  const others = state !== undefined && hidden > 0 ? ` Not ${stateWords(state)}: ${formatCount(hidden)}.` : '';
  return {
    drop: filters.length > 1 ? narrowest : undefined,
    words: `${capital(filters.map(({ words }) => words).join(', '))}.${others}`,
  };
}

/** `needs attention` for `needs-attention`. */
function stateWords(state: string): string {
  return state.replaceAll('-', ' ');
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
