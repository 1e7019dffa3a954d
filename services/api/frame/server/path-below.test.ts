import { expect, it } from 'vitest';
import { publicAddressOf } from '../../../../shared/runtime/configuration/public-address.ts';
import { pathBelow } from './path-below.ts';

it.each([
  ['https://muster.example.com', { origin: 'https://muster.example.com', basePath: '' }],
  ['https://example.com:8443/tools/muster/', { origin: 'https://example.com:8443', basePath: '/tools/muster' }],
  ['http://localhost:8080/', { origin: 'http://localhost:8080', basePath: '' }],
  ['ftp://example.com', undefined],
  ['example.com/muster', undefined],
  ['https://user:secret@example.com', undefined],
  ['https://example.com/muster?x=1', undefined],
  ['https://example.com/"><script>', undefined],
  ['https://example.com/a;b', undefined],
])('the public address %s is read as %j', (text, address) => {
  expect(publicAddressOf(text)).toEqual(address);
});

it.each([
  ['', '/v1/runs', '/v1/runs'],
  ['/muster', '/muster/v1/runs?limit=1', '/v1/runs?limit=1'],
  ['/muster', '/muster', '/'],
  ['/muster', '/muster?a', '/?a'],
  ['/muster', '/v1/runs', '/v1/runs'],
  ['/muster', '/musterer/v1', '/musterer/v1'],
])('below the base path %j, the URL %s has the path %s', (basePath, url, path) => {
  expect(pathBelow(basePath, url)).toBe(path);
});
