import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { fc } from '../../test/support/properties.ts';
import { isHttpUri, plainHttpUri } from './uris.ts';

const ajv = new Ajv2020();
formats.default(ajv);
const isUri = ajv.compile({ type: 'string', format: 'uri' });

describe('a URL that Muster calls', () => {
  it.each([
    'https://shop.example.com/hook',
    'http://127.0.0.1:8080',
    'https://shop.example.com:/a//b/?x=1&y=%20z#part',
    'http://[2001:db8::1]:8080/hook?to=a@b',
    'HTTPS://xn--bcher-kva.example/~a/(b)/c;d=1,2',
    `https://shop.example.com/?q=${'a%2f'.repeat(500)}`,
    'https://shop.example.com:08080/0',
  ])('can be %s', (url) => {
    expect([isHttpUri(url), URL.canParse(url), isUri(url)]).toEqual([true, true, true]);
  });

  it.each([
    ' https://shop.example.com',
    'https://bücher.example/hook',
    'https://shop.example.com/a b',
    'https://shop.example.com/?tags[]=a',
    'https://shop.example.com/a|b',
    'https://shop.example.com/%zz',
    'https://shop.example.com/a#b#c',
    'https://shop.example.com\\hook',
    'https:shop.example.com',
    'https://shop.example.com:0',
    'https://shop.example.com:0/hook',
    'http://127.0.0.1:00000?a=1',
    'http://[::1]:0/#part',
  ])('cannot be %s, although URL parsers accept it', (url) => {
    expect([isHttpUri(url), URL.canParse(url)]).toEqual([false, true]);
  });

  it('conforms to the format "uri" of JSON Schema', () => {
    const anyText = fc.string({ unit: fc.constantFrom(...Array.from('aZ09-._~:/?#[]@!$&\'()*+,;=%<>"^`{|}\\ é')) });
    const urls = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true }),
      anyText.map((text) => `https://${text}`),
      anyText.map((text) => `https://shop.example.com/${text}`),
    );
    fc.assert(
      fc.property(urls, (url) => {
        if (!URL.canParse(url)) return;
        if (isHttpUri(url)) expect(isUri(url)).toBe(true);
        if (plainHttpUri.test(url)) expect(isHttpUri(url)).toBe(true);
      }),
      { numRuns: 5000 },
    );
  });
});
