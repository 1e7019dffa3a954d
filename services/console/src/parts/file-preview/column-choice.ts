import type { UserFilePreview } from '#client/types.gen.ts';

/** Columns of a file as a person chose them; null: as the API finds them. */
export interface ColumnChoice {
  user: string | null;
  /** Name of a column, or the code of the country of all users. */
  country: string | null;
  /** The first line is a user already. */
  isWithoutHeader: boolean;
}

export const asFound: ColumnChoice = { user: null, country: null, isWithoutHeader: false };

/** The choice as query parameters of an upload and of a preview. */
export function columnQuery({ user, country, isWithoutHeader }: ColumnChoice) {
  return {
    ...(user !== null && { user }),
    ...(country !== null && { country }),
    ...(isWithoutHeader && { header: 'none' as const }),
  };
}

/** Returns true if the columns of a file have numbers instead of names. */
export function hasNumbers({ reading }: UserFilePreview): boolean {
  return reading?.columns.length === 0;
}

/** The name of the column that a file was read with for this use; null if there is none. */
export function columnFor(use: 'user' | 'country', preview: UserFilePreview | undefined): string | null {
  return preview?.columns.find((column) => column.use === use)?.name ?? null;
}
