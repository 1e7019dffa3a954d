import type { FileReading } from '../../../shared/contracts/campaigns/file-reading.ts';
import { describeReading } from './describe-reading.ts';
import { columnsOf, type ColumnChoice, type ColumnTerms } from './file-columns.ts';
import { openFile } from './file-text.ts';
import { createUploadReading, type ReadUploadTerms, type UploadReading } from './read-upload.ts';

export interface UserFileTerms extends Omit<ReadUploadTerms, 'columns'> {
  choice: ColumnChoice;
  /** False for users who have no country, such as those of suppression lists. */
  hasCountries: boolean;
  onBegin?: (reading: UploadReading) => void;
}

/**
 * Reads a whole file of users and describes how it was parsed.
 * @throws {HttpProblem} 422 for a format or an encoding that cannot be read, or for unknown columns
 */
export async function readUserFile(
  bytes: AsyncIterable<unknown>,
  { choice, hasCountries, onBegin, ...terms }: UserFileTerms,
): Promise<{ reading: UploadReading; description: FileReading }> {
  const file = await openFile(bytes);
  try {
    const columns = columnsOf(file.headLines, { choice, countries: countryNeedOf({ hasCountries, ...terms }) });
    const reading = createUploadReading({ ...terms, columns });
    onBegin?.(reading);
    await reading.read(file.bytes);
    return { reading, description: describeReading(file, columns, reading) };
  } finally {
    await file.close();
  }
}

/** Returns how a file uses countries: from a column, from the request, or not at all. */
export function countryNeedOf({
  hasCountries,
  country,
}: Pick<UserFileTerms, 'hasCountries' | 'country'>): ColumnTerms['countries'] {
  if (!hasCountries) return 'ignored';
  return country === null ? 'column' : 'optional';
}
