import { HttpProblem } from '../frame/http-problem.ts';
import { fileProblem } from './file-problems.ts';
import { ruleWords } from './user-cells.ts';
import type { UploadEnd } from './upload.port.ts';

/** Share of rejected rows, of all rows, that needs no consent. */
const freeShare = 0.05;
/** Rejected rows that a refusal names. */
const namedRows = 3;

/**
 * Rows that are not UTF-8 always need consent: the file is in another encoding, and more of its ids may be misread.
 * @param accepted how many rejected rows the caller accepts
 * @throws {HttpProblem} 422 for a file without users, or with more rejected rows than the caller accepts
 */
export function requireFewRejects(end: UploadEnd, accepted: number | undefined): void {
  const { rows, rejected, rejects } = end;
  if (rows === rejected) {
    const none = rows === 1 ? 'its only row is no user' : `none of its ${rows} rows is a user`;
    throw fileProblem('no-users', rows === 0 ? 'the file holds no row' : `${none}: ${firstOf(rejects)}`);
  }
  const isEncoded = !rejects.some(({ rule }) => rule === 'not-utf-8');
  if (rejected <= (accepted ?? 0) || (isEncoded && rejected <= rows * freeShare)) return;
  const why = isEncoded ? 'more than 5 %' : 'and some are not UTF-8: save the file as "CSV UTF-8"';
  const detail =
    `${rejected} of ${rows} rows are rejected, ${why}. ${firstOf(rejects)}. Nothing of the file was stored. Mend the rows, or send ` +
    `the file again with acceptRejected=${rejected} to leave them out`;
  const code = 'too-many-rejected';
  const needed = `has to be ${rejected} or more to leave these rows out`;
  const errors = [{ pointer: '/acceptRejected', code, detail: needed }];
  throw new HttpProblem({ status: 422, code, detail, errors });
}

function firstOf(rejects: UploadEnd['rejects']): string {
  const named = rejects.slice(0, namedRows);
  return named.map(({ line, value, rule }) => `line ${line} ("${value.slice(0, 40)}"): ${ruleWords[rule]}`).join('; ');
}
