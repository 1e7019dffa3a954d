import { userResult } from '../../../shared/contracts/endpoints/batch-actions.ts';
import { failureOf } from './plain-answer.ts';
import type { FailedResult, RequestedUsers, UserResults } from './user-results.ts';

/** Maximum number of entries that may differ. If more entries differ, parsing the whole answer is cheaper. */
const maxDiffering = 12;

const firstKey = '{"id":"';
const success = '","status":"succeeded"}';
const between = `${success},${firstKey}`;
const opening = `{"results":[${firstKey}`;
const ending = `${success}]}`;

/** Buffer for the expected answer. All calls share it, because reading an answer is synchronous. */
const expected = Buffer.allocUnsafeSlow(256 * 1024);
const maxBytesPerUnit = 3;

/**
 * Reads an answer by comparing its bytes with the answer in which all users succeeded, and parses only the entries that
 * differ. Every success is still matched with its id. This saves 12 to 16 % of a batch's total cost, because the answer
 * is converted neither to text nor to objects. Returns undefined if the answer has another format, or if ids need
 * escapes in JSON; the caller must then use `readPlainAnswer`.
 */
export function readExpectedAnswer(
  form: 'full' | 'compact',
  { users, count, plain }: RequestedUsers,
  body: Buffer,
): UserResults | undefined {
  if (!plain || count === 0) return undefined;
  if (form === 'compact') {
    const isExpected = body.equals(expected.subarray(0, expected.write(`{"succeeded":${count},"failed":[]}`)));
    return isExpected ? { failed: [], missing: [], unexpected: 0, repeated: 0 } : undefined;
  }
  // `split` and `join` are used, because `replaceAll` would build a rope (a tree of strings) of two hundred pieces,
  // which has to be flattened when it is written.
  const results = users.slice(1, -1).split('","').join(between);
  if ((opening.length + results.length + ending.length) * maxBytesPerUnit > expected.length) return undefined;
  // The pieces are written one by one, because joining them first would copy the bytes once more.
  let length = expected.write(opening);
  length += expected.write(results, length);
  length += expected.write(ending, length);
  const failed = readDiffering(body, expected.subarray(0, length));
  return failed && { failed, missing: [], unexpected: 0, repeated: 0 };
}

/** Returns the failures in the entries that differ, by moving from one difference to the next. */
function readDiffering(body: Buffer, wanted: Buffer): FailedResult[] | undefined {
  const failed: FailedResult[] = [];
  let bodyRest = body;
  let rest = wanted;
  while (!bodyRest.equals(rest)) {
    if (failed.length >= maxDiffering) return undefined;
    const entryAt = rest.lastIndexOf(firstKey, sameBytes(bodyRest, rest));
    if (entryAt < 0) return undefined;
    const entryEnd = bodyRest.indexOf('}', entryAt) + 1;
    const failure = parseFailure(bodyRest.toString('utf8', entryAt, entryEnd));
    if (!failure) return undefined;
    const replaced = Buffer.from(`${firstKey}${failure.id}${success}`);
    const replacedEnd = entryAt + replaced.length;
    if (!replaced.equals(rest.subarray(entryAt, replacedEnd))) return undefined;
    failed.push(failure);
    rest = rest.subarray(replacedEnd);
    bodyRest = bodyRest.subarray(entryEnd);
  }
  return failed;
}

/**
 * Returns the number of equal bytes at the start. Uses bisection: comparing memory is fast, and a loop over bytes is
 * slow.
 */
function sameBytes(a: Buffer, b: Buffer): number {
  let same = 0;
  let different = Math.min(a.length, b.length) + 1;
  while (different - same > 1) {
    const middle = (same + different) >> 1;
    if (a.compare(b, same, middle, same, middle) === 0) same = middle;
    else different = middle;
  }
  return same;
}

function parseFailure(entry: string): FailedResult | undefined {
  try {
    const result = userResult.safeParse(JSON.parse(entry)).data;
    return result?.status === 'failed' ? failureOf(result) : undefined;
  } catch {
    return undefined;
  }
}
