import type { AnsweredRequest } from './api.port.ts';
import type { AnswerRule, ApiCall } from '../presets/api-call.contract.ts';
import { fieldOf, textOf } from './call-template.ts';

/**
 * Meaning of an answer for one user. `retryable`: the request was not applied to the user. `refused`: the request was
 * not applied to any of its users, because one user or the whole request is invalid.
 */
export type Meaning =
  | { is: 'succeeded' }
  | { is: 'unknown' }
  | { is: 'misconfigured' }
  | { is: 'failed' | 'refused' | 'retryable'; code: string };

export type AnswerTerms = Pick<ApiCall, 'perUser'> & { answers: readonly AnswerRule[] };

const misconfigured: readonly number[] = [401, 403, 404, 405, 410, 415, 501];
const refused: readonly number[] = [400, 413, 422];
const notYet: readonly number[] = [409, 425, 503];

/** Returns the meaning of an answer for each user of the request, in the order of the users. */
export function readAnswer(
  answer: AnsweredRequest,
  users: readonly string[],
  { perUser, answers }: AnswerTerms,
): Meaning[] {
  const whole = parseJson(answer.body);
  const list = perUser && valuesAt(whole, perUser.list).find((value) => Array.isArray(value));
  const entryOf = (user: string, place: number): unknown => {
    if (!list) return undefined;
    const { id } = perUser;
    return id === undefined
      ? list[place]
      : list.find((entry) => valuesAt(entry, id).some((value) => textOf(value) === user));
  };
  return users.map((user, place) => {
    const entry = entryOf(user, place);
    const rule = answers.find((each) => fits(each, { status: answer.status, user, whole, subject: entry ?? whole }));
    if (rule)
      return meaningOf(rule, {
        answer,
        subject: entry ?? whole,
        isOwn: entry !== undefined || rule.listed !== undefined,
      });
    // The answer reports success but lacks an entry for this user.
    if (perUser && entry === undefined && isSuccess(answer.status)) return { is: 'unknown' };
    return usualMeaning(answer);
  });
}

/**
 * Returns the meaning that the answer has by Muster's contract (docs/contracts.md). A 429 never means that a call was
 * applied.
 */
export function usualMeaning({ status, retryAfterMs }: Pick<AnsweredRequest, 'status' | 'retryAfterMs'>): Meaning {
  const code = `http-${status}`;
  if (isSuccess(status)) return { is: 'succeeded' };
  if (refused.includes(status)) return { is: 'refused', code };
  if (misconfigured.includes(status) || classOf(status) === 3) return { is: 'misconfigured' };
  if (status === 429 || (notYet.includes(status) && retryAfterMs !== null)) return { is: 'retryable', code };
  return { is: 'unknown' };
}

interface Subject {
  status: number;
  user: string;
  whole: unknown;
  subject: unknown;
}

function fits(rule: AnswerRule, { status, user, whole, subject }: Subject): boolean {
  if (rule.status !== undefined && rule.status !== status && rule.status !== `${classOf(status)}xx`) return false;
  if (
    rule.listed !== undefined &&
    !valuesAt(whole, rule.listed)
      .flat()
      .some((id) => textOf(id) === user)
  )
    return false;
  if (rule.path === undefined) return true;
  const values = valuesAt(subject, rule.path);
  const { equals } = rule;
  if (equals === undefined) return values.length > 0;
  return values.some((value) => (Array.isArray(equals) ? equals.some((each) => each === value) : equals === value));
}

function meaningOf(
  rule: AnswerRule,
  { answer, subject, isOwn }: { answer: AnsweredRequest; subject: unknown; isOwn: boolean },
): Meaning {
  if (rule.is !== 'failed' && rule.is !== 'retryable') return { is: rule.is };
  const found = rule.codePath === undefined ? undefined : valuesAt(subject, rule.codePath)[0];
  const read =
    found === undefined
      ? ''
      : textOf(found)
          .replace(/[^A-Za-z0-9._-]+/g, '-')
          .slice(0, 64);
  const code = read === '' ? (rule.code ?? `http-${answer.status}`) : read;
  return { is: rule.is === 'failed' && !isOwn ? 'refused' : rule.is, code };
}

function classOf(status: number): number {
  return Math.floor(status / 100);
}

function isSuccess(status: number): boolean {
  return classOf(status) === 2;
}

/** Returns the values at a path; `*` matches each entry of a list. */
function valuesAt(value: unknown, path: string): unknown[] {
  return path.split('.').reduce<unknown[]>(
    (found, part) => {
      if (part === '*') return found.flatMap((each): unknown[] => (Array.isArray(each) ? each : []));
      return found.map((each) => fieldOf(each, part)).filter((each) => each !== undefined);
    },
    [value],
  );
}

/** Returns the parsed body; undefined if it is not JSON. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}
