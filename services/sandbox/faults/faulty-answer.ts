import { z } from 'zod';
import { compactAnswer, fullAnswer } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { fractionOf, topicOf } from '../wire/chance.ts';
import type { BatchRequest } from '../../../shared/contracts/endpoints/read-batch-request.ts';
import type { Decide } from '../effects/effects.ts';
import type { CallRule, FaultyAnswer } from './fault-rules.ts';
import type { HttpAnswer } from '../wire/http-answer.ts';

/** Returns whether the effects happen although the answer is faulty. */
export function isApplied(answer: FaultyAnswer): boolean {
  return 'applied' in answer ? answer.applied : true;
}

/** Returns the service's decisions, with failures for the users that the rule selects. */
export function decidesAsRule({ name, answer }: CallRule, { key }: BatchRequest, otherwise: Decide): Decide {
  if (answer?.kind !== 'fail-users') return otherwise;
  const { code, retryable } = answer;
  const isPicked = pickUsers(`${name}/${retryable ? key : ''}`, answer);
  return (user) => (isPicked(user) ? { id: user, code, retryable } : otherwise(user));
}

/**
 * Returns the faulty response.
 * @param body correct response of the service, which the fault replaces or changes
 * @param requested users of the call, if they were served
 */
export function faultyAnswerOf(
  answer: FaultyAnswer,
  successStatus: number,
  body: string,
  requested: readonly string[] = [],
): HttpAnswer {
  const whole = { status: successStatus, body };
  switch (answer.kind) {
    case 'status':
      return statusAnswer(answer);
    case 'hang':
      return { ...whole, delivery: { kind: 'none' } };
    case 'reset':
      return { ...whole, delivery: { kind: 'reset' } };
    case 'half-body':
      return { ...whole, delivery: { kind: 'half' } };
    case 'garbage':
      return { ...whole, body: '<html>it works</html>' };
    case 'oversize':
      return { ...whole, delivery: { kind: 'blanks', bytes: answer.bytes } };
    case 'drip':
      return { ...whole, delivery: { kind: 'drip', everyMs: answer.everyMs } };
    case 'wrong-count':
      return { ...whole, body: miscounted(body) };
    case 'omit-users': {
      const isPicked = pickUsers('omit', answer);
      return { ...whole, body: without(new Set(requested.filter(isPicked)), body) };
    }
    case 'add-users':
      return { ...whole, body: inFullForm(requested, body, (results) => [...results, ...answer.users.map(succeeded)]) };
    case 'tell-users':
      return { ...whole, body: inFullForm(requested, body, (results) => resultsToTell(results, answer)) };
    case 'mangle-ids':
      return { ...whole, body: inFullForm(requested, body, mangled) };
    case 'compressed':
      return compressed(whole);
    case 'fail-users':
      return whole;
  }
}

type Result = Omit<z.infer<typeof fullAnswer>['results'][number], 'message'>;

const succeeded = (id: string): Result => ({ id, status: 'succeeded' });

/** Changes results in the full form. A compact answer becomes a full one, because it cannot express the change. */
function inFullForm(
  requested: readonly string[],
  body: string,
  change: (results: readonly Result[]) => Result[],
): string {
  const answer = eitherForm.parse(JSON.parse(body));
  if ('results' in answer) return JSON.stringify({ results: change(answer.results) });
  const failures = new Map(answer.failed.map((failure) => [failure.id, { ...failure, status: 'failed' }]));
  return JSON.stringify({ results: change(requested.map((id) => failures.get(id) ?? succeeded(id))) });
}

/** Replaces the results of the selected users, whatever their real outcome. */
export function resultsToTell<Entry extends { id: string }>(
  results: readonly Entry[],
  { status, code, ...picked }: Picked & { status: string; code?: string | undefined },
): (Entry | Result)[] {
  const isPicked = pickUsers('tell', picked);
  return results.map((entry) => (isPicked(entry.id) ? { id: entry.id, status, ...(code && { code }) } : entry));
}

export function mangled<Entry extends { id: string }>(results: readonly Entry[]): Entry[] {
  return results.map((entry) => ({ ...entry, id: encodeURIComponent(entry.id) }));
}

export function compressed(answer: HttpAnswer): HttpAnswer {
  return { ...answer, delivery: { kind: 'gzip' } };
}

function statusAnswer({ status, code, retryAfterSeconds }: Extract<FaultyAnswer, { kind: 'status' }>): HttpAnswer {
  const headers = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
  const body = JSON.stringify({ ...(code !== undefined && { code }), message: 'a fault that was switched on' });
  return { status, headers, body };
}

interface Picked {
  users?: readonly string[] | undefined;
  userShare?: number | undefined;
}

/** Returns a function that selects users: the named users, or a share that a hash chooses, or all. */
export function pickUsers(salt: string, { users, userShare }: Picked): (user: string) => boolean {
  if (users) return (user) => users.includes(user);
  if (userShare === undefined) return () => true;
  const topic = topicOf(`rule/user/${salt}/`);
  return (user) => fractionOf(topic, user) < userShare;
}

const eitherForm = z.union([fullAnswer, compactAnswer]);

/**
 * Removes users from a response. A compact response contains only the number of successes, so this number is reduced.
 */
function without(users: ReadonlySet<string>, body: string): string {
  const answer = eitherForm.parse(JSON.parse(body));
  if ('results' in answer) return JSON.stringify({ results: answer.results.filter(({ id }) => !users.has(id)) });
  const failed = answer.failed.filter(({ id }) => !users.has(id));
  const silentlySucceeded = users.size - (answer.failed.length - failed.length);
  return JSON.stringify({ succeeded: answer.succeeded - silentlySucceeded, failed });
}

/**
 * Adds one result too many. A compact response gets one more success, a full response the first user again, with the
 * opposite status.
 */
function miscounted(body: string): string {
  const answer = eitherForm.parse(JSON.parse(body));
  if (!('results' in answer)) return JSON.stringify({ ...answer, succeeded: answer.succeeded + 1 });
  const [first] = answer.results;
  const contradiction = first && {
    id: first.id,
    status: first.status === 'failed' ? 'succeeded' : 'failed',
    code: 'odd',
  };
  return JSON.stringify({ results: contradiction ? [...answer.results, contradiction] : [] });
}
