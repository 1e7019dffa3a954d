import type { QuietRule } from '#client/types.gen.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

/** Value that means all action types. */
export const everyType = '*';

export interface RuleForm {
  actionType: string;
  /** Codes separated by commas or blanks. Empty means all countries. */
  countries: string;
  from: string;
  until: string;
  /** Time zone of the rule; empty means the country's own time zone. */
  zone: string;
  then: QuietRule['then'];
}

export function formOf(rule: QuietRule | null): RuleForm {
  return {
    actionType: rule?.actionType ?? everyType,
    countries: rule?.countries?.join(', ') ?? '',
    from: rule?.from ?? '21:00',
    until: rule?.until ?? '08:00',
    zone: rule?.zone ?? '',
    then: rule?.then ?? 'wait',
  };
}

export function ruleOf({ actionType, countries, from, until, zone, then }: RuleForm): QuietRule {
  const named = countries.toUpperCase().split(/[\s,]+/);
  const given = named.filter((code) => code !== '');
  return {
    actionType,
    from: from.trim(),
    until: until.trim(),
    then,
    ...(given.length > 0 && { countries: given }),
    ...(zone.trim() !== '' && { zone: zone.trim() }),
  };
}

/** Describes an action type: `“Send a message”`, `every action type`. */
export function formatType({ actionType }: Pick<QuietRule, 'actionType'>): string {
  return actionType === everyType ? 'every action type' : quotedTitleOf(actionType);
}

/** Describes a rule: `“Send a message” makes no calls in SG, ID from 21:00 to 08:00 of the next day, local time; …` */
export function describeRule(rule: QuietRule): string {
  const { countries, from, until, zone, then } = rule;
  const where = countries === undefined ? 'in any country' : `in ${countries.join(', ')}`;
  const next = until <= from ? ' of the next day' : '';
  const clocks = zone === undefined ? 'local time' : `in the time zone ${zone}`;
  const end = then === 'wait' ? 'users wait for the end' : 'users are suppressed instead';
  const type = formatType(rule);
  return `${type.charAt(0).toUpperCase()}${type.slice(1)} makes no calls ${where} from ${from} to ${until}${next}, ${clocks}; ${end}.`;
}

export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const item = items[from];
  const rest = items.toSpliced(from, 1);
  return item === undefined ? rest : rest.toSpliced(to, 0, item);
}
