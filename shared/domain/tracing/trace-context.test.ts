import { describe, expect, it } from 'vitest';
import { readTraceparent, readTracestate, writeTraceparent } from './trace-context.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const spanId = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    [`00-${traceId}-${spanId}-01`, true],
    [`00-${traceId}-${spanId}-00`, false],
    [`00-${traceId}-${spanId}-03`, true],
    [`00-${traceId}-${spanId}-02`, false],
    // A later version may contain more fields.
    [`cc-${traceId}-${spanId}-01-what-the-future-holds`, true],
  ])('contains trace, span and sampled flag: %s', (text, isSampled) => {
    expect(readTraceparent(text)).toEqual({ traceId, spanId, isSampled });
  });

  it.each([
    '',
    'nonsense',
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${'0'.repeat(32)}-${spanId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}-1`,
    ` 00-${traceId}-${spanId}-01`,
    `00-${traceId}-${spanId}-01, 00-${traceId}-${spanId}-01`,
    `cc-${traceId}-${spanId}-01-${'x'.repeat(10_000)}`,
  ])('is rejected: %.60s', (text) => {
    expect(readTraceparent(text)).toBeUndefined();
  });

  it('is written in the same format as it is read', () => {
    const text = `00-${traceId}-${spanId}-01`;
    expect(writeTraceparent({ traceId, spanId, isSampled: true })).toBe(text);
  });
});

describe('a tracestate', () => {
  it.each([
    ['rojo=00f067aa0ba902b7', 'rojo=00f067aa0ba902b7'],
    ['rojo=1 , congo=t61rcWkgMzE', 'rojo=1,congo=t61rcWkgMzE'],
    ['tenant@vendor=a:b', 'tenant@vendor=a:b'],
  ])('is passed on: %s', (text, passedOn) => {
    expect(readTracestate(text)).toBe(passedOn);
  });

  it.each([
    '',
    'no pair',
    'UPPER=1',
    'a=ü',
    'a=1,,b=2',
    `a=${'x'.repeat(300)}`,
    Array.from({ length: 33 }, (_, index) => `k${index}=1`).join(','),
    Array.from({ length: 20 }, (_, index) => `k${index}=${'x'.repeat(30)}`).join(','),
  ])('is ignored: %.60s', (text) => {
    expect(readTracestate(text)).toBeUndefined();
  });
});
