import { expect, it } from 'vitest';
import { requestHeadersOf } from './request-headers.ts';

it('adds what the job does not say itself, whatever it is written like', () => {
  const usual = ['user-agent', 'muster', 'content-type', 'application/json'];
  expect(requestHeadersOf({ headers: null, body: '{}' })).toEqual(usual);
  expect(requestHeadersOf({ headers: null, body: null })).toEqual(usual.slice(0, 2));
  expect(requestHeadersOf({ headers: '{"Content-Type":"text/plain","X-A":"b"}', body: 'x' })).toEqual([
    ...['Content-Type', 'text/plain', 'X-A', 'b'],
    ...usual.slice(0, 2),
  ]);
  expect(requestHeadersOf({ headers: 'no headers', body: '{}' })).toEqual(usual);
});

it('gives each call headers of its own: more are added to them', () => {
  const job = { headers: '{"x-a":"b"}', body: null };
  requestHeadersOf(job).push('webhook-id', 'one');
  expect(requestHeadersOf(job)).toEqual(['x-a', 'b', 'user-agent', 'muster']);
});
