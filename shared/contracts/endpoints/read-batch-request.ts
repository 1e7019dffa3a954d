import { countryPattern } from '../../domain/endpoint/shard.ts';
import { isValidUserId } from '../../domain/ids/user-id.ts';
import { stepModes, type StepMode } from '../../domain/run/run-kinds.ts';
import { batchCall, statusQuery, type BatchCall, type StatusQuery } from './batch-actions.ts';

/** A call of a batch endpoint, as the endpoint reads it. */
export interface BatchRequest {
  key: string;
  /** Number of sends of this key, from 1, as reported by the caller. */
  attempt: number;
  /** Mode of the run. A call of mode `test` is answered as if live, without effects. */
  mode: StepMode;
  call: BatchCall;
  /** Body as sent, to detect other bytes under the same key. */
  body: Buffer;
}

/** Answer to a whole call that applies nothing. */
export interface Refusal {
  status: number;
  code: string;
  message: string;
  retryAfterSeconds?: number;
}

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Upper bound on the users per call. A larger batch is refused, and the caller has to halve it. */
export const maxUsersPerCall = 1000;

const visibleAscii = /^[\x21-\x7e]{1,100}$/;

export type ParsedRequest = { ok: true; request: BatchRequest } | { ok: false; refusal: Refusal };

/** Checks a request against the contract. A violation refuses the whole call, with a code for the violated part. */
export function parseBatchRequest(headers: Headers, body: Buffer): ParsedRequest {
  const key = headers['idempotency-key'];
  if (typeof key !== 'string' || !visibleAscii.test(key)) {
    return refuse(400, 'bad-key', 'Idempotency-Key has to be 1 to 100 visible ASCII characters');
  }
  const attempt = Number(headers['muster-attempt']);
  if (!Number.isInteger(attempt) || attempt < 1) {
    return refuse(400, 'bad-attempt', 'Muster-Attempt has to be an integer from 1');
  }
  const mode = stepModes.find((each) => each === headers['muster-mode']);
  if (!mode) return refuse(422, 'bad-mode', 'Muster-Mode has to be live or test');
  const parsed = batchCall.safeParse(parseJson(body));
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return refuse(400, 'bad-body', `/${issue?.path.join('/') ?? ''}: ${issue?.message ?? 'not a batch call'}`);
  }
  const refusal = refusalOf(parsed.data);
  return refusal ? { ok: false, refusal } : { ok: true, request: { key, attempt, mode, call: parsed.data, body } };
}

export type ParsedQuery = { ok: true; query: StatusQuery } | { ok: false; refusal: Refusal };

export function parseStatusQuery(body: Buffer): ParsedQuery {
  const parsed = statusQuery.safeParse(parseJson(body));
  if (parsed.success && parsed.data.users.length <= maxUsersPerCall) return { ok: true, query: parsed.data };
  const message = `run, step and at most ${maxUsersPerCall} users have to be given`;
  return { ok: false, refusal: { status: 400, code: 'bad-query', message } };
}

function refusalOf({ users, country }: BatchCall): Refusal | undefined {
  if (users.length > maxUsersPerCall) {
    return { status: 413, code: 'too-many-users', message: `at most ${maxUsersPerCall} users a call` };
  }
  if (!countryPattern.test(country)) {
    return { status: 422, code: 'bad-country', message: 'country has to be two capital letters' };
  }
  if (!users.every(isValidUserId)) return { status: 422, code: 'bad-user-id', message: 'a user id breaks the rules' };
  if (new Set(users).size < users.length) return { status: 422, code: 'repeated-user', message: 'a user stands twice' };
  return undefined;
}

/** Returns undefined for invalid JSON, which the shape check then refuses. */
function parseJson(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

function refuse(status: number, code: string, message: string): Extract<ParsedRequest, { ok: false }> {
  return { ok: false, refusal: { status, code, message } };
}
