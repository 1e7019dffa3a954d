import { describe, expect, it } from 'vitest';
import { HttpProblem } from '../frame/http-problem.ts';
import { linkOriginOf } from './link-origin.ts';

describe('the base of a log-in link', () => {
  it.each(['evil.example', 'localhost', undefined])(
    'is the public address, whatever the Host header is: %s',
    (host) => {
      const publicAddress = { origin: 'https://example.com', basePath: '/muster' };
      expect(linkOriginOf(publicAddress, host)).toBe('https://example.com/muster');
    },
  );

  it.each(['localhost', 'localhost:8080', '127.0.0.1:8080', '[::1]:8080'])(
    'is localhost without a public address: %s',
    (host) => {
      expect(linkOriginOf(undefined, host)).toBe(`http://${host}`);
    },
  );

  it.each([
    'evil.example',
    'localhost.evil.example',
    'localhost:80@evil.example',
    '127.0.0.1.evil.example:80',
    '',
    undefined,
  ])('is refused without a public address for any other host: %s', (host) => {
    expect(() => linkOriginOf(undefined, host)).toThrow(HttpProblem);
  });
});
