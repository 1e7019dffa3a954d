import { HttpProblem } from '../frame/http-problem.ts';
import { fileProblem } from './file-problems.ts';
import { ruleWords } from './user-cells.ts';

/** Largest share of rejected rows that needs no consent of the sender. */
const freeShare = 0.05;
const namedRows = 3;

interface JudgedFile {
  rows: number;
  rejected: number;
  rejects: readonly { line: number; value: string; rule: string }[];
}

export interface FileWording {
  /** Noun for an accepted row, used in the problem. */
  row: string;
  /** Descriptions of the rules that rejected rows violate. */
  rules: Readonly<Record<string, string>>;
  /** Effects that the file had before its refusal, as a clause without punctuation. */
  kept: string;
}

const ofList: FileWording = { row: 'user', rules: ruleWords, kept: 'Nothing of the file was stored' };

/**
 * Checks the share of rejected rows. Any row that is not UTF-8 needs consent, because the file then has another
 * encoding, and other ids may also be wrong.
 * @param accepted number of rejected rows that the sender accepts
 * @throws {HttpProblem} 422 for a file without users, or with more rejected rows than the sender accepts
 */
export function requireFewRejects(end: JudgedFile, accepted: number | undefined, wording = ofList): void {
  const { rows, rejected, rejects } = end;
  if (rows === rejected) {
    const none = rows === 1 ? `its only row is not a ${wording.row}` : `none of its ${rows} rows is a ${wording.row}`;
    throw fileProblem('no-users', rows === 0 ? 'the file has no rows' : `${none}: ${firstOf(rejects, wording)}`);
  }
  const isEncoded = !rejects.some(({ rule }) => rule === 'not-utf-8');
  if (rejected <= (accepted ?? 0) || (isEncoded && rejected <= rows * freeShare)) return;
  const reason = isEncoded ? 'more than 5 %' : 'and some are not UTF-8: save the file as "CSV UTF-8"';
  const detail =
    `${rejected} of ${rows} rows are rejected, ${reason}. ${firstOf(rejects, wording)}. ${wording.kept}. Fix the rows, or send ` +
    `the file again with acceptRejected=${rejected} to skip them`;
  const code = 'too-many-rejected';
  const needed = `has to be ${rejected} or more to skip these rows`;
  const errors = [{ pointer: '/acceptRejected', code, detail: needed }];
  throw new HttpProblem({ status: 422, code, detail, errors });
}

function firstOf(rejects: JudgedFile['rejects'], { rules }: FileWording): string {
  const named = rejects.slice(0, namedRows);
  return named
    .map(({ line, value, rule }) => `line ${line} ("${value.slice(0, 40)}"): ${rules[rule] ?? rule}`)
    .join('; ');
}
