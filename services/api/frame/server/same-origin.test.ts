import { describe, expect, it } from 'vitest';
import { isSameOrigin } from './same-origin.ts';

const host = 'muster.example.com';
const ours = 'https://muster.example.com';

describe('a request with a cookie', () => {
  it.each([
    ['GET', { 'sec-fetch-site': 'same-origin' }, true],
    ['GET', { 'sec-fetch-site': 'none' }, true],
    ['GET', {}, true],
    ['POST', { 'sec-fetch-site': 'same-origin', origin: ours }, true],
    ['POST', { origin: ours }, true],
    ['POST', { origin: 'http://muster.example.com' }, true],
    ['GET', { 'sec-fetch-site': 'same-site' }, false],
    ['GET', { 'sec-fetch-site': 'cross-site' }, false],
    ['POST', { 'sec-fetch-site': 'none' }, false],
    ['POST', {}, false],
    ['POST', { origin: 'null' }, false],
    ['POST', { origin: 'https://evil.example.com' }, false],
    ['POST', { origin: 'https://muster.example.com:8443' }, false],
    ['POST', { origin: 'https://muster.example.com.evil.example' }, false],
    ['POST', { 'sec-fetch-site': 'same-site', origin: ours }, false],
    ['GET', { origin: 'https://evil.example.com' }, false],
  ])('is from the console’s origin, by the method %s and the headers %j: %j', (method, headers, expected) => {
    expect(isSameOrigin({ host, ...headers }, method, undefined)).toBe(expected);
  });

  it('is foreign if it comes from plain http and the API is reached by https', () => {
    expect(isSameOrigin({ host, origin: 'http://muster.example.com' }, 'POST', ours)).toBe(false);
    expect(isSameOrigin({ host, origin: ours }, 'POST', ours)).toBe(true);
  });

  it('is accepted for the public address, whatever host a proxy sends, and for the host of the request', () => {
    expect(isSameOrigin({ host: '10.0.0.7:8080', origin: ours }, 'POST', ours)).toBe(true);
    expect(isSameOrigin({ host: '10.0.0.7:8080', origin: 'http://10.0.0.7:8080' }, 'POST', ours)).toBe(true);
    expect(isSameOrigin({ host: '10.0.0.7:8080', origin: ours }, 'POST', undefined)).toBe(false);
  });
});
