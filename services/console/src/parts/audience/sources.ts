import type { CampaignPreview } from '#client/types.gen.ts';
import type { EarlierOutcome, SourceForm } from './source-form.ts';

/**
 * Returns the users of one entry of the audience over all countries. Null if the users of a country are unknown,
 * undefined before the preview is loaded.
 */
export function usersOfSource(
  preview: Pick<CampaignPreview, 'countries'> | undefined,
  role: 'include' | 'exclude',
  index: number,
): number | null | undefined {
  if (!preview || preview.countries.length === 0) return undefined;
  const users = preview.countries.map((country) => country[role][index]?.users);
  if (users.some((each) => each === undefined)) return undefined;
  return users.reduce<number | null>(
    (sum, each) => (sum === null || each === null || each === undefined ? null : sum + each),
    0,
  );
}

/** Returns a text such as `failed or unknown in step 1` or `everybody`. */
export function formatOutcomes(outcomes: readonly EarlierOutcome[], step: number | null): string {
  const which = outcomes.length === 0 ? 'everybody' : listInWords(outcomes);
  return step === null ? which : `${which} in step ${step}`;
}

export function isSameSource(a: SourceForm, b: SourceForm): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function listInWords(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}
