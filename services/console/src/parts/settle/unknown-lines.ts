import type { ActionType, RunReport } from '#client/types.gen.ts';

export interface UnknownLine {
  step: number;
  action: string;
  users: number;
  /** Countries with their users, most users first. */
  countries: { country: string; users: number }[];
}

export function unknownLines({ steps, countries }: Pick<RunReport, 'steps' | 'countries'>): UnknownLine[] {
  return steps
    .filter(({ unknown }) => unknown > 0)
    .map(({ step, action, unknown }) => ({
      step,
      action,
      users: unknown,
      countries: countries
        .flatMap(({ country, steps: own }) => {
          const users = own.find((line) => line.step === step)?.unknown ?? 0;
          return users > 0 ? [{ country, users }] : [];
        })
        .sort((a, b) => b.users - a.users),
    }));
}

/**
 * Adds up the unknown users. No user is counted twice: after a step with an unknown outcome, the user's later steps are
 * skipped.
 */
export function unknownUsers(lines: readonly Pick<UnknownLine, 'users'>[]): number {
  return lines.reduce((sum, { users }) => sum + users, 0);
}

/**
 * Returns the lines whose outcomes can be requested from a status endpoint. Only actions of class C have such an
 * endpoint.
 */
export function requestableLines(
  lines: readonly UnknownLine[],
  actionTypes: readonly Pick<ActionType, 'name' | 'class'>[],
): UnknownLine[] {
  const readable = new Set(actionTypes.filter((type) => type.class === 'C').map(({ name }) => name));
  return lines.filter(({ action }) => readable.has(action));
}

export interface LineFilter {
  /** Step of the users; null means any step. */
  step: number | null;
  /** Country of the users; null means any country. */
  country: string | null;
}

export function filterLines(lines: readonly UnknownLine[], { step, country }: LineFilter): UnknownLine[] {
  return lines
    .filter((line) => step === null || line.step === step)
    .map((line) => {
      if (country === null) return line;
      const countries = line.countries.filter((each) => each.country === country);
      return { ...line, countries, users: unknownUsers(countries) };
    })
    .filter(({ users }) => users > 0);
}

export function countriesOf(lines: readonly UnknownLine[]): string[] {
  return [...new Set(lines.flatMap(({ countries }) => countries.map(({ country }) => country)))].sort();
}
