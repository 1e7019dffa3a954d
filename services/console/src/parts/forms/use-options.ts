import { useQuery } from '@tanstack/react-query';
import { listParameterOptionsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ParameterOption, ParameterOptionList } from '#client/types.gen.ts';
import { useSettled } from './use-settled.ts';
import { countOf } from '../words/numbers.ts';

export interface OptionsOf {
  actionType: string;
  countries: readonly string[];
}

export interface OptionsOfParameter extends OptionsOf {
  pointer: string;
}

const shownAtOnce = 20;
const settleMs = 200;

/** Loads the options of a parameter. After a failure there are no options, and no error is shown. */
export function useOptions({ actionType, countries, pointer }: OptionsOfParameter, text: string, enabled: boolean) {
  const { value: search, isBehind } = useSettled(text.trim(), settleMs);
  // With several countries, options of all are shown, each with the countries in which it is valid.
  const [country] = countries.length === 1 ? countries : [];
  const query = {
    ...{ parameter: pointer, limit: shownAtOnce },
    ...(search !== '' && { q: search.slice(0, 200) }),
    ...(country !== undefined && { country }),
  };
  const asked = listParameterOptionsOptions({ path: { name: actionType }, query });
  const found = useQuery({ ...asked, enabled, staleTime: 30_000, retry: false });
  return { list: found.data, isSettled: !isBehind && !found.isFetching };
}

/** Returns the option that equals a text, and whether the team's list lacks the text. */
export function useNamedOption(of: OptionsOfParameter, text: string) {
  const { list, isSettled } = useOptions(of, text, text.trim() !== '');
  const option = list?.items.find(({ value }) => String(value) === text.trim());
  const isUnknown = isSettled && option === undefined && list?.from === 'endpoint' && !list.more;
  return { option, isUnknown: isUnknown && text.trim() !== '' };
}

/** Returns the text at the end of an option: the countries in which alone it is valid, or its number of uses. */
export function optionNote(
  { countries, usedBy }: ParameterOption,
  from: ParameterOptionList['from'],
  wanted: readonly string[],
): string {
  const isEverywhere = countries === null || wanted.every((country) => countries.includes(country));
  if (from === 'endpoint' && !isEverywhere) return `only ${countries.join(', ')}`;
  return usedBy === 0 ? '' : countOf(usedBy, 'campaign');
}

/** Describes the source of the options; null if it is the team's own list. */
export function optionsFrom({ from, unavailable }: Pick<ParameterOptionList, 'from' | 'unavailable'>): string | null {
  if (unavailable !== null) {
    return `${unavailable.replace(/^./, (first) => first.toUpperCase())}. These are of earlier campaigns.`;
  }
  return from === 'endpoint' ? null : 'Of earlier campaigns';
}
