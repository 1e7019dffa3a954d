/**
 * Ids of traces are derived from what they are of: every process knows them, whichever has the work, and nothing has to
 * be stored or sent for them (docs/decisions/0014-metrics-and-traces.md).
 */

/** Its id, which is as random as the ids of traces have to be. */
export function traceOfJob(jobId: string): string {
  return jobId.replaceAll('-', '');
}

/** Traces of the batches of one feed. */
export interface BatchTraces {
  traceOf: (batchNo: number) => string;
  /** As `isSampled` says of its trace, in a hundredth of the time: it is asked for each batch, and most are not. */
  isSampled: (batchNo: number, share: number) => boolean;
}

/**
 * Half of a batch's trace is its feed's, the other half mixes feed and batch: different batches of a feed have
 * different traces, and their last bits are spread as those of random ids are.
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
 * Whether a trace belongs to this share of all, from 0 to 1: a pure function of its last 56 bits, of which the first 32
 * decide. The greatest do, as OpenTelemetry's samplers agree on it
 * (https://opentelemetry.io/docs/specs/otel/trace/tracestate-probability-sampling/).
 */
export function isSampled(traceId: string, share: number): boolean {
  return isWithin(Number.parseInt(traceId.slice(18, 26), 16), share);
}

/** The first span of a trace that is derived: others name it before they know whether it was recorded. */
export function rootSpanOf(traceId: string): string {
  return traceId.slice(16);
}

/** 16 hexadecimal digits. @param random in [0, 1) */
export function newSpanId(random: () => number): string {
  const word = () => hexOf(Math.floor(random() * words));
  // Of 0 alone is no id, and it may not come out.
  return `${word()}${word()}`.replace(/^0{16}$/, '0000000000000001');
}

const words = 2 ** 32;

function isWithin(word: number, share: number): boolean {
  return word >= (1 - share) * words;
}

/** Odd, so that no two batches come to the same: 2^32 divided by the golden ratio. */
const oddWord = 0x9e3779b1;

/** The last step of MurmurHash3: each of 32 bits changes all others, and no two words come to the same. */
function mixed(word: number): number {
  const once = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  const twice = Math.imul(once ^ (once >>> 13), 0xc2b2ae35);
  return (twice ^ (twice >>> 16)) >>> 0;
}

/** Each byte in two digits: writing the number instead makes an id cost half a microsecond. */
const bytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const byteOf = (word: number, shift: number) => bytes[(word >>> shift) & 0xff] ?? '';

function hexOf(word: number): string {
  return byteOf(word, 24) + byteOf(word, 16) + byteOf(word, 8) + byteOf(word, 0);
}
