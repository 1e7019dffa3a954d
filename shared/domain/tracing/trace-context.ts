/** W3C Trace Context (https://www.w3.org/TR/trace-context/): the position of a request in a trace. */
export interface TraceContext {
  /** Id of the trace: 32 lower-case hexadecimal digits, not all 0. */
  traceId: string;
  /** Id of the parent span of new spans: 16 lower-case hexadecimal digits. */
  spanId: string;
  /** True if the caller records the trace. */
  isSampled: boolean;
}

export const traceHeaders = { parent: 'traceparent', state: 'tracestate' } as const;

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/**
 * Returns the content of a `traceparent`. Returns undefined for an invalid value, which counts as a missing header. A
 * later version may have further fields after the known ones.
 */
export function readTraceparent(text: string): TraceContext | undefined {
  // No version needs more characters; longer values of unknown senders are not parsed.
  if (text.length > 256) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = parentPattern.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Lengths that every participant must propagate, by the specification; longer values are dropped. */
const maxStateLength = 512;
const maxStateMembers = 32;
const stateMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/** Returns a `tracestate` to propagate; undefined if it is invalid, or longer than a receiver must accept. */
export function readTracestate(text: string): string | undefined {
  if (text === '' || text.length > maxStateLength) return undefined;
  const members = text.split(',').map((member) => member.trim());
  const isRight = members.length <= maxStateMembers && members.every((member) => stateMember.test(member));
  return isRight ? members.join(',') : undefined;
}
