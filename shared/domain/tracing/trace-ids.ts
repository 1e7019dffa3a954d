/**
 * Trace ids are derived from the ids of jobs, feeds and batches. Every process can compute them, and nothing has to be
 * stored or sent for them (docs/decisions/0014-metrics-and-traces.md).
 */

/** Returns the trace id of a job: the job's id, which is as random as trace ids must be. */
export function traceOfJob(jobId: string): string {
  return jobId.replaceAll('-', '');
}

export interface BatchTraces {
  traceOf: (batchNo: number) => string;
  /**
   * Returns the same as `isSampled` for the batch's trace, in a hundredth of the time: most batches are not sampled.
   */
  isSampled: (batchNo: number, share: number) => boolean;
}

/**
 * Returns the traces of a feed's batches. Half of a trace id comes from the feed, the other half mixes feed and batch.
 * Different batches of a feed therefore have different traces, and the last bits are distributed like those of random
 * ids.
 */
export function batchTracesOf(feedId: string): BatchTraces {
  const digits = feedId.replaceAll('-', '');
  const ofFeed = digits.slice(16);
  const left = Number.parseInt(digits.slice(16, 24), 16);
  const right = Number.parseInt(digits.slice(24), 16);
  const high = (batchNo: number) => mixed(batchNo ^ right);
  const low = (batchNo: number) => mixed(Math.imul(batchNo, oddWord) ^ left);
  return {
    traceOf: (batchNo) => ofFeed + hexOf(high(batchNo)) + hexOf(low(batchNo)),
    isSampled: (batchNo, share) => isWithin(((high(batchNo) << 8) | (low(batchNo) >>> 24)) >>> 0, share),
  };
}

/**
 * Returns whether a trace belongs to this share of all traces, from 0 to 1: a pure function of its last 56 bits, of
 * which the first 32 decide. The greatest values are sampled, as in OpenTelemetry's samplers
 * (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/).
 */
export function isSampled(traceId: string, share: number): boolean {
  return isWithin(Number.parseInt(traceId.slice(18, 26), 16), share);
}

/** Returns the first span of a derived trace: other spans refer to it before it is known whether it was recorded. */
export function rootSpanOf(traceId: string): string {
  return traceId.slice(16);
}

/**
 * Returns 16 hexadecimal digits.
 * @param random in [0, 1)
 */
export function newSpanId(random: () => number): string {
  const word = () => hexOf(Math.floor(random() * words));
  // An id of zeros only is invalid.
  return `${word()}${word()}`.replace(/^0{16}$/, '0000000000000001');
}

const words = 2 ** 32;

function isWithin(word: number, share: number): boolean {
  return word >= (1 - share) * words;
}

/** Odd, so that no two batches collide: 2^32 divided by the golden ratio. */
const oddWord = 0x9e3779b1;

/** Applies the final mix of MurmurHash3: each of 32 bits affects all others, and no two words collide. */
function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/** Two digits of each byte, precomputed: formatting the number instead costs half a microsecond for each id. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const byteOf = (word: number, shift: number) => bytes[(word >>> shift) & 0xff] ?? '';

function hexOf(word: number): string {
  return byteOf(word, 24) + byteOf(word, 16) + byteOf(word, 8) + byteOf(word, 0);
}
