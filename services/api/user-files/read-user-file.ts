import type { FileReading } from '../../../shared/contracts/campaigns/file-reading.ts';
import { describeReading } from './describe-reading.ts';
import { columnsOf, type ColumnChoice, type ColumnTerms } from './file-columns.ts';
import { openFile } from './file-text.ts';
import { createUploadReading, type ReadUploadTerms, type UploadReading } from './read-upload.ts';

export interface UserFileTerms extends Omit<ReadUploadTerms, 'columns'> {
  choice: ColumnChoice;
  /** False for users without countries, as those of suppression lists. */
  hasCountries: boolean;
  /** Called before the first row is read. */
  onBegin?: (reading: UploadReading) => void;
}

/**
 * Reads a file of users from its first byte to its last, and describes what it was read as.
 * @throws {HttpProblem} 422 for a file whose format, encoding or columns cannot be read
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

/** Tells if the columns of a file have to name countries. */
export function countryNeedOf({
  hasCountries,
  country,
}: Pick<UserFileTerms, 'hasCountries' | 'country'>): ColumnTerms['countries'] {
  if (!hasCountries) return 'ignored';
  return country === null ? 'column' : 'optional';
}
