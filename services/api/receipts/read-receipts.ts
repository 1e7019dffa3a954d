import type { z } from 'zod';
import {
  maxReceipts,
  receiptOfCall,
  receiptOfRun,
  type ReceiptProblem,
} from '../../../shared/contracts/endpoints/receipts.ts';
import { batchOfKey } from '../../../shared/domain/step/batch.ts';
import { uuidOf } from '../../../shared/domain/ids/ids.ts';
import { cleanCode } from '../../../shared/domain/step/reasons.ts';
import { brokenUserIdRule } from '../../../shared/domain/ids/user-id.ts';
import { HttpProblem } from '../frame/http-problem.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { checkShape } from '../frame/server/check-shape.ts';
import type { Receipt } from './postgres/receipt-store.ts';

/** Valid receipt, or the reason why a receipt is invalid. */
export type ReadReceipt = Receipt | Omit<ReceiptProblem, 'index'>;

export interface ReadReceiptsTerms {
  /** Action type whose secret signed the request; null if the request came with an API key. */
  actionType: string | null;
  now: Date;
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * Maximum time by which a receipt may be dated in the future, in milliseconds. Otherwise a receipt dated next year
 * would replace all other receipts until then.
 */
const farthestAheadMs = 86_400_000;
const earliestMs = Date.UTC(2000, 0, 1);

/**
 * Parses `{"receipts": […]}`, a list of receipts, or one receipt on each line. An invalid receipt does not affect the
 * others. Results are in the order of the request.
 * @throws {HttpProblem} 400 if the body is not JSON, 413 if it has more than `maxReceipts`
 */
export function readReceipts(body: Buffer, type: 'json' | 'ndjson', terms: ReadReceiptsTerms): ReadReceipt[] {
  const text = decode(body);
  const given = type === 'ndjson' ? linesOf(text) : listOf(text);
  if (given.length > maxReceipts) {
    const detail = `${given.length} receipts are too many: at most ${maxReceipts} in one request`;
    throw new HttpProblem({ status: 413, code: 'too-many-receipts', detail });
  }
  return given.map((value) => receiptOf(value, terms));
}

function decode(body: Buffer): string {
  try {
    return utf8.decode(body);
  } catch {
    throw malformed('the body is not encoded in UTF-8');
  }
}

function listOf(text: string): unknown[] {
  const value = parsed(text);
  if (value === undefined) throw malformed('the body is not JSON');
  if (Array.isArray(value)) return value;
  const receipts: unknown = typeof value === 'object' && value !== null && 'receipts' in value ? value.receipts : null;
  if (!Array.isArray(receipts)) throw malformed('the body has to be {"receipts": […]}');
  return receipts;
}

/** Parses each line of a text. A line that is not JSON stays a string, so that the caller can report its position. */
function linesOf(text: string): unknown[] {
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(parsed);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function receiptOf(value: unknown, terms: ReadReceiptsTerms): ReadReceipt {
  const isOfCall = typeof value === 'object' && value !== null && 'key' in value;
  if (isOfCall) {
    const read = checkShape(receiptOfCall, value);
    if (!read.ok) return malformedReceipt(read.problems);
    const batch = batchOfKey(read.value.key);
    if (!batch) return { code: 'invalid-key', detail: 'key is not an Idempotency-Key of a call of Muster' };
    const { feedId, batchNo, step } = batch;
    return written({ of: { feedId, batchNo }, step }, read.value, terms);
  }
  const read = checkShape(receiptOfRun, value);
  if (!read.ok) return malformedReceipt(read.problems);
  const { run, step, country } = read.value;
  const runId = uuidOf('run', run);
  if (runId === undefined) return { code: 'unknown-run', detail: receiptDetails['unknown-run'] };
  return written({ of: { runId, country: country ?? null }, step }, read.value, terms);
}

type ReceivedFields = Pick<z.infer<typeof receiptOfCall>, 'user' | 'status' | 'code' | 'at'>;

function written(
  place: Pick<Receipt, 'of' | 'step'>,
  { user, status, code, at }: ReceivedFields,
  { actionType, now }: ReadReceiptsTerms,
): ReadReceipt {
  const atMs = Date.parse(at);
  if (!(atMs >= earliestMs && atMs <= now.getTime() + farthestAheadMs)) {
    return { code: 'invalid-time', detail: 'at has to be between the year 2000 and a day from now' };
  }
  // Muster never calls an endpoint with an id that breaks the rules, so the run has no such user.
  if (brokenUserIdRule(user) !== null) return { code: 'unknown-user', detail: receiptDetails['unknown-user'] };
  const reason = code === undefined || code === null || code === '' ? null : cleanCode(code);
  return { ...place, user, delivered: status === 'delivered', code: reason, at: new Date(atMs), actionType };
}

export const receiptDetails = {
  'unknown-run': 'the run does not exist',
  'unknown-step': 'the run has no such step',
  'unknown-user': 'the user is not in the audience of that step',
  'other-action-type': 'the action type of the step is not the one whose secret signed the request',
  'not-kept': 'the run ended long ago, and receipts of its users are no longer accepted',
} as const;

function malformedReceipt([first]: readonly FieldProblem[]): ReadReceipt {
  const { pointer = '', detail = '' } = first ?? {};
  return { code: 'malformed', detail: pointer === '' ? detail : `${pointer}: ${detail}` };
}

function malformed(detail: string): HttpProblem {
  return new HttpProblem({ status: 400, code: 'malformed-json', detail });
}
