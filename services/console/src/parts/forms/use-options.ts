import { useQuery } from '@tanstack/react-query';
import { listParameterOptionsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ParameterOption, ParameterOptionList } from '#client/types.gen.ts';
import { useDebounced } from './use-debounced.ts';
import { countOf } from '../words/numbers.ts';

export interface OptionsOf {
  actionType: string;
  countries: readonly string[];
}

export interface OptionsOfParameter extends OptionsOf {
  pointer: string;
}

const maxOptions = 20;
const debounceMs = 200;

/** Loads the options of a parameter. After a failure there are no options, and no error is shown. */
export function useOptions({ actionType, countries, pointer }: OptionsOfParameter, text: string, enabled: boolean) {
  const { value: search, isBehind } = useDebounced(text.trim(), debounceMs);
  // With several countries, options of all are shown, each with the countries in which it is valid.
  const [country] = countries.length === 1 ? countries : [];
  const query = {
    parameter: pointer,
    limit: maxOptions,
    ...(search !== '' && { q: search.slice(0, 200) }),
    ...(country !== undefined && { country }),
  };
  const options = listParameterOptionsOptions({ path: { name: actionType }, query });
  const found = useQuery({ ...options, enabled, staleTime: 30_000, retry: false });
  return { list: found.data, isSettled: !isBehind && !found.isFetching };
}

/** Returns the option that equals a text, and whether the text is missing from the team's list. */
export function useNamedOption(parameter: OptionsOfParameter, text: string) {
  const { list, isSettled } = useOptions(parameter, text, text.trim() !== '');
  const option = list?.items.find(({ value }) => String(value) === text.trim());
  const isUnknown = isSettled && option === undefined && list?.from === 'endpoint' && !list.more;
  return { option, isUnknown: isUnknown && text.trim() !== '' };
}

/**
 * Returns the text at the end of an option: the only countries in which the option is valid, or the number of campaigns
 * that use it.
 */
export function formatOptionNote(
  { countries, usedBy }: ParameterOption,
  from: ParameterOptionList['from'],
  wanted: readonly string[],
): string {
  const isEverywhere = countries === null || wanted.every((country) => countries.includes(country));
  if (from === 'endpoint' && !isEverywhere) return `only ${countries.join(', ')}`;
  return usedBy === 0 ? '' : countOf(usedBy, 'campaign');
}

/** Describes the source of the options; null if it is the team's own list. */
export function describeOptionSource({
  from,
  unavailable,
}: Pick<ParameterOptionList, 'from' | 'unavailable'>): string | null {
  if (unavailable !== null) {
    return `${unavailable.replace(/^./, (first) => first.toUpperCase())}. Values from earlier campaigns are listed.`;
  }
  return from === 'endpoint' ? null : 'From earlier campaigns';
}
