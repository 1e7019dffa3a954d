import { UsageError } from '../frame/usage-error.ts';

/** Of `SG=1000`. What is right is for the API to say. */
export function budgetsOf(texts: readonly string[]): { country: string; units: number }[] {
  return texts.map((text) => {
    const [, country, units] = /^([^=]+)=(\d+)$/.exec(text) ?? [];
    if (country === undefined) throw new UsageError(`a budget is <country>=<units>, such as SG=1000, not ${text}`);
    return { country, units: Number(units) };
  });
}
