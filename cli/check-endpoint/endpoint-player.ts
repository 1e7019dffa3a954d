import { randomUUID, type KeyObject } from 'node:crypto';
import { v7 } from 'uuid';
import { publicId } from '../../shared/domain/ids/ids.ts';
import { signatureHeaders } from '../../shared/domain/endpoint/standard-webhooks.ts';
import { isPlain, usersTextOf } from '../../shared/domain/step/users-text.ts';
import { createHttpOrigin, type HttpOrigin, type HttpOutcome } from '../../shared/http-client/http-dispatch.ts';
import { retryAfterMs } from '../../shared/http-client/retry-after.ts';
import type { ContractClass } from '../../shared/domain/step/consequences.ts';
import { optionsTargetOf, readOptionsAnswer } from '../../services/api/action-types/options/http/option-endpoints.ts';
import type { OptionsAnswer } from '../../services/api/action-types/options/option-source.port.ts';
import { readPreviewAnswer } from '../../services/api/action-types/previews/http/preview-endpoints.ts';
import type { PreviewAnswer } from '../../services/api/action-types/previews/preview-source.port.ts';
import { readAnswer } from '../../services/worker/endpoint/read-answer.ts';
import { readStatus, type StatusAnswer } from '../../services/worker/endpoint/read-status.ts';
import type { BatchAnswer } from '../../services/worker/endpoint/batch-endpoint.port.ts';
import { answerProblems, resultsOf, type Results } from './answer-problems.ts';

/** Properties of the endpoint that are known before a call. */
export interface EndpointTerms {
  url: string;
  contractClass: ContractClass;
  /** True for a check endpoint, which is called before a step and has no effect. */
  isCheck: boolean;
  statusUrl: string | undefined;
  /** URL that renders the message of one user. */
  previewUrl: string | undefined;
  /** URLs of lists of options for its parameters. */
  options: readonly string[];
  authorization: string | undefined;
  /** Key that signs calls and status requests (Standard Webhooks). */
  signingKey: KeyObject | undefined;
  answerForm: 'full' | 'compact' | undefined;
  params: Record<string, unknown>;
  actionType: string;
  country: string;
  batchSize: number;
  timeoutMs: number;
  /** For class C: milliseconds after the end of a call within which the endpoint may still apply the call. */
  appliesLateMs: number;
  /** Unique part of all user ids and keys, as the endpoint may remember an earlier check. */
  checkId: string;
}

/** A call as Muster makes it; missing fields get new values. */
export interface PlayedCall {
  users: readonly string[];
  run?: string;
  batch?: number;
  key?: string;
  attempt?: number;
  /** Additional fields that the contract does not define yet. */
  more?: object;
  /** Signing key; by default the key of the endpoint's terms. */
  signedWith?: KeyObject;
}

/** Result of a call, interpreted as Muster does, with its violations of the contract. */
export interface Played {
  key: string;
  run: string;
  users: readonly string[];
  /** Results of the users; null if the answer contains no users. */
  results: Results | null;
  /** HTTP status; 0 if the answer was incomplete. */
  status: number;
  code: string;
  /** True if the answer states that nothing was applied, and that the call may be repeated. */
  isPostponed: boolean;
  retryAfterMs: number | null;
  tookMs: number;
  form: 'full' | 'compact' | null;
  problems: readonly string[];
}

/** Calls an endpoint as Muster does: with the same headers, bytes, timeouts and size limits. */
export interface EndpointPlayer {
  readonly terms: EndpointTerms;
  /** Returns users that no earlier call contained. */
  freshUsers(count: number): string[];
  /** Returns unusual user ids that the contract allows. */
  oddUsers(): string[];
  freshRun(): string;
  call(call: PlayedCall): Promise<Played>;
  /** Disconnects soon after sending the call. Returns true if there was no answer by then. */
  cutCall(call: PlayedCall): Promise<boolean>;
  /** Requests the status of users, and checks the answer. */
  askStatus(run: string, step: number, users: readonly string[]): Promise<StatusAnswer>;
  askOptions(url: string, query: { country?: string; search?: string; limit: number }): Promise<OptionsAnswer>;
  /** Requests the message of a user. */
  askPreview(user: string): Promise<PreviewAnswer>;
  wait(ms: number): Promise<void>;
  slowestMs(): number;
  hasSucceeded(): boolean;
  close(): Promise<void>;
}

const maxAnswerBytes = 4 * 1024 * 1024;
const connections = 4;
/** Milliseconds until the disconnection: long enough to send the call, and too short for most endpoints to answer. */
const cutAfterMs = 40;
const mostCuts = 10;

/** @param wait resolves after this many milliseconds */
export function createEndpointPlayer(terms: EndpointTerms, wait: (ms: number) => Promise<void>): EndpointPlayer {
  const { timeoutMs, checkId } = terms;
  const isRepeatable = terms.contractClass === 'A' || terms.contractClass === 'B';
  const calls = originOf(terms.url, timeoutMs, isRepeatable);
  const cuts = originOf(terms.url, cutAfterMs, isRepeatable);
  const questions = terms.statusUrl === undefined ? undefined : originOf(terms.statusUrl, timeoutMs);
  const previews = terms.previewUrl === undefined ? undefined : originOf(terms.previewUrl, timeoutMs);
  const lists = new Map(terms.options.map((address) => [address, originOf(address, timeoutMs)]));
  const campaign = publicId('campaign', v7());
  let users = 0;
  let batches = 0;
  let slowest = 0;
  let succeeded = false;

  const freshUser = (suffix = '') => `muster-check-${checkId}-${String(++users).padStart(5, '0')}${suffix}`;
  const freshRun = () => publicId('run', v7());

  function requestOf(call: PlayedCall) {
    const { users: userIds, run = freshRun(), batch = ++batches, attempt = 1, more = {} } = call;
    const key = call.key ?? `check-${checkId}-${batch}-1`;
    const action = { type: terms.actionType, params: terms.params };
    const check = terms.isCheck ? { check: { type: terms.actionType } } : {};
    const body = { campaign, run, step: 1, country: terms.country, batch, ...check, action, users: userIds, ...more };
    const bytes = Buffer.from(JSON.stringify(body));
    const headers = [...fixedHeaders(terms), 'idempotency-key', key, 'muster-attempt', String(attempt)];
    return {
      key,
      run,
      headers: [...headers, ...signatureOf(call.signedWith ?? terms.signingKey, key, bytes)],
      body: bytes,
    };
  }

  return {
    terms,
    freshUsers: (count) => Array.from({ length: count }, () => freshUser()),
    oddUsers: () => oddSuffixes.map((suffix) => freshUser(suffix)),
    freshRun,
    call: async (call) => {
      const { key, run, headers, body } = requestOf(call);
      const startedMs = performance.now();
      const outcome = await calls.origin.send({ method: 'POST', path: calls.path, headers, body });
      const tookMs = performance.now() - startedMs;
      const played = playedOf({ key, run, users: call.users, tookMs }, batchAnswerOf(outcome), terms);
      if (outcome.kind === 'answered') slowest = Math.max(slowest, tookMs);
      succeeded ||= [...(played.results?.values() ?? [])].includes('succeeded');
      return played;
    },
    cutCall: async (call) => {
      const { headers, body } = requestOf(call);
      const send = () => cuts.origin.send({ method: 'POST', path: cuts.path, headers, body });
      let outcome = await send();
      // On a busy machine the time may be over before the call is sent; such a call is not cut off.
      for (let tries = 1; outcome.kind === 'not-applied' && tries < mostCuts; tries++) outcome = await send();
      return outcome.kind !== 'answered';
    },
    askStatus: async (run, step, userIds) => {
      if (!questions) throw new Error('there is no status endpoint to ask');
      const body = Buffer.from(JSON.stringify({ run, step, users: userIds }));
      const headers = [...fixedHeaders(terms), ...signatureOf(terms.signingKey, randomUUID(), body)];
      const outcome = await questions.origin.send({ method: 'POST', path: questions.path, headers, body });
      return readStatus(userIds, batchAnswerOf(outcome));
    },
    askOptions: async (url, query) => {
      const list = lists.get(url);
      if (!list) throw new Error(`there is no list ${url}`);
      const { origin } = list;
      const headers = [...fixedHeaders(terms), ...signatureOf(terms.signingKey, randomUUID(), Buffer.alloc(0))];
      const path = optionsTargetOf(new URL(url), query);
      return readOptionsAnswer(await origin.send({ method: 'GET', path, headers }));
    },
    askPreview: async (user) => {
      if (!previews) throw new Error('there is no endpoint of previews to ask');
      const action = { type: terms.actionType, params: terms.params };
      const body = Buffer.from(JSON.stringify({ action, country: terms.country, user }));
      const headers = [...fixedHeaders(terms), ...signatureOf(terms.signingKey, randomUUID(), body)];
      return readPreviewAnswer(await previews.origin.send({ method: 'POST', path: previews.path, headers, body }));
    },
    wait,
    slowestMs: () => slowest,
    hasSucceeded: () => succeeded,
    close: async () => {
      const optional = [questions, previews].filter((each) => each !== undefined);
      await Promise.all([calls, cuts, ...optional, ...lists.values()].map(({ origin }) => origin.close()));
    },
  };
}

/** Characters that user ids may contain and that have caused bugs. */
const oddSuffixes = [
  ' with spaces ',
  '"quoted"',
  "it's",
  'back\\slash\\n',
  '100%',
  '%41',
  'a+b&c=d?e#f',
  'comma,semicolon;',
  '../../etc',
  '<b>bold</b>',
  '{"id":"x"}',
  '$1 ${x} {{y}}',
  'ünïcodé',
  'u\u0308nnormalised',
  '北京',
  '🚲🛵',
  '\u202ertl',
  'x'.repeat(200),
];

function originOf(address: string, timeoutMs: number, isRepeatable = true): { origin: HttpOrigin; path: string } {
  const url = new URL(address);
  const origin = createHttpOrigin({ origin: url.origin, connections, timeoutMs, maxAnswerBytes, isRepeatable });
  return { origin, path: `${url.pathname}${url.search}` };
}

function fixedHeaders({ authorization }: EndpointTerms): string[] {
  return [
    ...['content-type', 'application/json', 'accept', 'application/json', 'accept-encoding', 'identity'],
    ...['muster-mode', 'live'],
    ...(authorization === undefined ? [] : ['authorization', authorization]),
  ];
}

function signatureOf(key: KeyObject | undefined, id: string, body: Buffer): string[] {
  return key ? signatureHeaders(key, id, new Date(), body) : [];
}

function batchAnswerOf(outcome: HttpOutcome): BatchAnswer {
  if (outcome.kind !== 'answered') return outcome;
  const { status, retryAfter, contentEncoding, body } = outcome;
  const waitMs = retryAfter === null ? null : retryAfterMs(retryAfter, new Date());
  return { kind: 'answered', status, retryAfterMs: waitMs, contentEncoding, body };
}

function playedOf(
  call: Pick<Played, 'key' | 'run' | 'users' | 'tookMs'>,
  answer: BatchAnswer,
  { answerForm = 'full' }: EndpointTerms,
): Played {
  const text = usersTextOf(call.users);
  const requested = { users: text, count: call.users.length, plain: isPlain(text) };
  const reading = readAnswer({ answerForm, unavailableMeansNotApplied: false }, requested, answer);
  const isAnswered = answer.kind === 'answered';
  return {
    ...call,
    results: reading.kind === 'reported' ? resultsOf(call.users, reading) : null,
    status: isAnswered ? answer.status : 0,
    code: isAnswered ? codeIn(answer.body) : '',
    isPostponed: isAnswered && reading.kind === 'not-applied',
    retryAfterMs: isAnswered ? answer.retryAfterMs : null,
    form: reading.kind === 'reported' && isAnswered ? formOf(answer.body) : null,
    problems: answerProblems(call.users, answer, reading),
  };
}

function formOf(body: Buffer): 'full' | 'compact' {
  const parsed: unknown = JSON.parse(body.toString('utf8'));
  return typeof parsed === 'object' && parsed !== null && 'results' in parsed ? 'full' : 'compact';
}

function codeIn(body: Buffer): string {
  try {
    const parsed: unknown = JSON.parse(body.toString('utf8'));
    return typeof parsed === 'object' && parsed !== null && 'code' in parsed ? String(parsed.code) : '';
  } catch {
    return '';
  }
}
