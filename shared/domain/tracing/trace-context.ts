/**
 * W3C Trace Context (https://www.w3.org/TR/trace-context/): where a request stands in a trace.
 */
export interface TraceContext {
  /** 32 small hexadecimal digits, not all of them 0. */
  traceId: string;
  /** 16 of them: the span that whatever begins now belongs below. */
  spanId: string;
  /** Whether those before us record it. */
  isSampled: boolean;
}

export const traceHeaders = { parent: 'traceparent', state: 'tracestate' } as const;

const parentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/**
 * What a `traceparent` says; undefined where it is none, which is as if there were no header. A later version may say
 * more behind what is known.
 */
export function readTraceparent(text: string): TraceContext | undefined {
  // No version needs more: what a stranger may send is not looked through.
  if (text.length > 256) return undefined;
  const [, version, traceId = '', spanId = '', flags = '', more] = parentPattern.exec(text) ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & sampledFlag) !== 0 };
}

export function writeTraceparent({ traceId, spanId, isSampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`;
}

/** Characters that everybody has to pass on, by the specification; more than that is not. */
const maxStateLength = 512;
const maxStateMembers = 32;
const stateMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;

/** A `tracestate` as it may be passed on; undefined where it is none, or longer than a receiver has to take. */
export function readTracestate(text: string): string | undefined {
  if (text === '' || text.length > maxStateLength) return undefined;
  const members = text.split(',').map((member) => member.trim());
  const isRight = members.length <= maxStateMembers && members.every((member) => stateMember.test(member));
  return isRight ? members.join(',') : undefined;
}
