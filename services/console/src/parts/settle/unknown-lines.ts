import type { ActionType, RunReport } from '#client/types.gen.ts';

/** The users of a step of whom nobody knows how it ended. */
export interface UnknownLine {
  step: number;
  action: string;
  users: number;
  /** Most users first. */
  countries: { country: string; users: number }[];
}

/** By step; steps in which everything is known are not among them. */
export function unknownLines({ steps, countries }: Pick<RunReport, 'steps' | 'countries'>): UnknownLine[] {
  return steps
    .filter(({ unknown }) => unknown > 0)
    .map(({ step, action, unknown }) => ({
      ...{ step, action, users: unknown },
      countries: countries
        .flatMap(({ country, steps: own }) => {
          const users = own.find((line) => line.step === step)?.unknown ?? 0;
          return users > 0 ? [{ country, users }] : [];
        })
        .sort((a, b) => b.users - a.users),
    }));
}

/** Nobody is unknown in two steps: who is in one of them is skipped behind it. */
export function unknownUsers(lines: readonly Pick<UnknownLine, 'users'>[]): number {
  return lines.reduce((sum, { users }) => sum + users, 0);
}

/** Of which one may ask what became of the users: class C alone has a status endpoint. */
export function askableLines(
  lines: readonly UnknownLine[],
  actionTypes: readonly Pick<ActionType, 'name' | 'class'>[],
): UnknownLine[] {
  const readable = new Set(actionTypes.filter((type) => type.class === 'C').map(({ name }) => name));
  return lines.filter(({ action }) => readable.has(action));
}

/** A part of those that are unknown. */
export interface Wanted {
  /** Null: in any step. */
  step: number | null;
  /** Null: in any country. */
  country: string | null;
}

export function narrowed(lines: readonly UnknownLine[], { step, country }: Wanted): UnknownLine[] {
  return lines
    .filter((line) => step === null || line.step === step)
    .map((line) => {
      if (country === null) return line;
      const countries = line.countries.filter((each) => each.country === country);
      return { ...line, countries, users: unknownUsers(countries) };
    })
    .filter(({ users }) => users > 0);
}

/** In which somebody is unknown, by their codes. */
export function countriesOf(lines: readonly UnknownLine[]): string[] {
  return [...new Set(lines.flatMap(({ countries }) => countries.map(({ country }) => country)))].sort();
}
