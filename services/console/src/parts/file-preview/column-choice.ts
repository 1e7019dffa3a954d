import type { UserFilePreview } from '#client/types.gen.ts';

/** Columns of a file as the user chose them; null means that the API detects the column. */
export interface ColumnChoice {
  user: string | null;
  /** Name of the country column, or a country code that applies to all users. */
  country: string | null;
  /** True if the first line already has a user. */
  isWithoutHeader: boolean;
}

export const detectedColumns: ColumnChoice = { user: null, country: null, isWithoutHeader: false };

export function columnQuery({ user, country, isWithoutHeader }: ColumnChoice) {
  return {
    ...(user !== null && { user }),
    ...(country !== null && { country }),
    ...(isWithoutHeader && { header: 'none' as const }),
  };
}

/** Returns true if the columns of a file are identified by numbers, because the file has no column names. */
export function hasNumbers({ reading }: UserFilePreview): boolean {
  return reading?.columns.length === 0;
}

export function columnFor(use: 'user' | 'country', preview: UserFilePreview | undefined): string | null {
  return preview?.columns.find((column) => column.use === use)?.name ?? null;
}
