import { describe, expect, it } from 'vitest';
import { decodeText } from './decode-text.ts';

const utf16 = (text: string) => Buffer.from(text, 'utf16le');
const json = '{"name":"José 新"}';

describe('the text of a file', () => {
  it.each([
    ['UTF-8', Buffer.from(json)],
    ['UTF-8 with a byte order mark', Buffer.from(`\ufeff${json}`)],
    ['UTF-16 in little endian', utf16(`\ufeff${json}`)],
    ['UTF-16 in big endian', utf16(`\ufeff${json}`).swap16()],
  ])('is read in %s', (_encoding, content) => {
    expect(decodeText(content)).toBe(json);
  });

  it.each([
    ['', ''],
    ['\ufeff', ''],
    ['\ufeff\ufeffa', '\ufeffa'],
    ['a\ufeff', 'a\ufeff'],
  ])('loses only its first byte order mark: %j', (content, text) => {
    expect(decodeText(Buffer.from(content))).toBe(text);
  });

  it.each([
    ['Latin-1', Buffer.from('José', 'latin1')],
    ['UTF-16 without its mark', utf16('é')],
    ['UTF-16 that is cut', utf16('\ufeffab').subarray(0, 5)],
  ])('is refused in %s', (_encoding, content) => {
    expect(() => decodeText(content)).toThrow(TypeError);
  });
});
