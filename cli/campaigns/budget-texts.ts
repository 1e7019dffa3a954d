import type { CampaignDefinitionInput } from '../../sdk/generated/types.gen.ts';
import { UsageError } from '../frame/usage-error.ts';

type Budgets = NonNullable<CampaignDefinitionInput['budgets']>;

/** Parses `SG=1000`, or monetary `SG=5000EUR`. The API validates the values. */
export function budgetsOf(texts: readonly string[]): Budgets {
  return texts.map((text) => {
    const [, country, number = '', currency] = /^([^=]+)=(\d+(?:\.\d+)?) ?([A-Za-z]{3})?$/.exec(text) ?? [];
    if (country === undefined || (currency === undefined && number.includes('.')))
      throw new UsageError(`a budget is <country>=<units or money>, such as SG=1000 or SG=5000EUR, not ${text}`);
    return currency === undefined
      ? { country, units: Number(number) }
      : { country, amount: number, currency: currency.toUpperCase() };
  });
}
