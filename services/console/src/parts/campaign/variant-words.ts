import type { Campaign } from '#client/types.gen.ts';
import { formatUserCount, partOfCount, type UserCount } from '../audience/user-count.ts';

export type Variant = NonNullable<Campaign['chain'][number]['variants']>[number];

interface Weighted {
  name: string;
  /** Share of the users in hundredths of a percent. */
  weight?: number;
}

/** Returns the variants of the first step that has variants, which divides the users; empty if there is none. */
export function splitOf(chain: readonly { variants?: readonly Weighted[] }[]): readonly Weighted[] {
  return chain.find(({ variants }) => variants !== undefined)?.variants ?? [];
}

type CanaryWords = { percent?: number; then?: string } | undefined;

/**
 * Returns the share of the users that the variants divide, from 0 to 1. It is below 1 if only the users of the canary
 * are divided, and all others get the variant that a person chooses.
 */
export function dividedShare(canary: CanaryWords): number {
  return canary?.then === 'choose-variant' ? (canary.percent ?? 0) / 100 : 1;
}

/** Formats a weight in hundredths of a percent: `50 %`, `33.34 %`. */
export function formatWeight(weight: number): string {
  return `${weight / 100} %`;
}

/** Formats a variant with its share: `A, 50 %`. */
export function nameWithShare({ name, weight }: Weighted): string {
  return weight === undefined ? name : `${name}, ${formatWeight(weight)}`;
}

/** Returns the expected users of a variant. A hash divides the users, so a run has slightly more or fewer. */
export function usersOfVariant(size: UserCount, { weight = 0 }: Weighted): UserCount {
  return partOfCount(size, weight / 10_000);
}

/** Formats the expected users of all variants: `A about 9,750 · B about 9,750`. */
export function formatUsersOfVariants(size: UserCount, variants: readonly Weighted[]): string {
  return variants.map((variant) => `${variant.name} ${formatUserCount(usersOfVariant(size, variant))}`).join(' · ');
}
