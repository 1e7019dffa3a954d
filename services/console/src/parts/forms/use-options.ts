import { useQuery } from '@tanstack/react-query';
import { listParameterOptionsOptions } from '#client/@tanstack/react-query.gen.ts';
import type { ParameterOption, ParameterOptionList } from '#client/types.gen.ts';
import { useSettled } from './use-settled.ts';
import { countOf } from '../words/numbers.ts';

/** Whose parameters a form says, and for whom. */
export interface OptionsOf {
  actionType: string;
  countries: readonly string[];
}

/** One of its parameters, by JSON pointer. */
export interface OptionsOfParameter extends OptionsOf {
  pointer: string;
}

const shownAtOnce = 20;
const settleMs = 200;

/** What a parameter may be; what cannot be had is told by what is not there. */
export function useOptions({ actionType, countries, pointer }: OptionsOfParameter, text: string, enabled: boolean) {
  const { value: search, isBehind } = useSettled(text.trim(), settleMs);
  // Of several countries each may have its own: all are shown, with where they may be used.
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

/** The option that a text stands for, as it is said by whom it is sent to. */
export function useNamedOption(of: OptionsOfParameter, text: string) {
  const { list, isSettled } = useOptions(of, text, text.trim() !== '');
  const option = list?.items.find(({ value }) => String(value) === text.trim());
  const isUnknown = isSettled && option === undefined && list?.from === 'endpoint' && !list.more;
  return { option, isUnknown: isUnknown && text.trim() !== '' };
}

/** At its end in a list: where alone it may be used, or how often it was said. */
export function optionNote(
  { countries, usedBy }: ParameterOption,
  from: ParameterOptionList['from'],
  wanted: readonly string[],
): string {
  const isEverywhere = countries === null || wanted.every((country) => countries.includes(country));
  if (from === 'endpoint' && !isEverywhere) return `only ${countries.join(', ')}`;
  return usedBy === 0 ? '' : countOf(usedBy, 'campaign');
}

/** Where the options come from, if not from the team that has them; null where they do. */
export function optionsFrom({ from, unavailable }: Pick<ParameterOptionList, 'from' | 'unavailable'>): string | null {
  if (unavailable !== null) {
    return `${unavailable.replace(/^./, (first) => first.toUpperCase())}. These are of earlier campaigns.`;
  }
  return from === 'endpoint' ? null : 'Of earlier campaigns';
}
