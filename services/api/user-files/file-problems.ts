import { previewedRefusals, type UserFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { HttpProblem } from '../frame/http-problem.ts';

/** Codes of refusals of files that contain rows with users. Routes that read such files declare them. */
export const fileRefusals = {
  'unreadable-file': 'the file is not a CSV file, or its text cannot be read',
  'no-user-column': 'no column of the file is recognized as user ids',
  'repeated-column': 'several columns of the file have the same name',
  'unknown-column': 'the file has no column of that name',
  'unclear-separator': 'rows and header have different separators',
} as const;

/** Further codes of refusals, for files whose number of rows and countries are also checked. */
export const listRefusals = {
  ...fileRefusals,
  'no-users': 'the file has no row with a user',
  'too-many-rejected': 'more than 5 % of the rows are rejected, and `acceptRejected` does not accept that many',
} as const;

export type FileProblemCode = keyof typeof listRefusals | 'no-country-column' | 'other-country';

const saveAsCsv = 'save it as CSV (in Excel: File, Save as, "CSV UTF-8"), and upload that file';

/**
 * Returns the problem of a file in another format.
 * @param format noun phrase such as `a PDF document`
 */
export function otherFormat(format: string, advice = saveAsCsv): HttpProblem {
  return fileProblem('unreadable-file', `the file is ${format}, and has to be a CSV file; ${advice}`);
}

export function fileProblem(code: FileProblemCode, detail: string): HttpProblem {
  return new HttpProblem({ status: 422, code, detail });
}

/**
 * Runs work that may refuse the content of a file.
 * @returns the refusal, or null
 * @throws any other error, and the refusal of a file that is not a CSV file
 */
export async function refusalOf(work: () => unknown): Promise<UserFilePreview['refusal']> {
  try {
    await work();
    return null;
  } catch (error) {
    if (!(error instanceof HttpProblem)) throw error;
    const code = previewedRefusals.find((each) => each === error.code);
    if (code === undefined) throw error;
    return { code, detail: error.message };
  }
}
