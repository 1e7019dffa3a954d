import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { collect } from '../../../../test/support/collect.ts';
import { byteLines } from './byte-lines.ts';

async function linesOf(chunks: readonly (string | Buffer)[], maxLineBytes = 10) {
  const lines = await collect(byteLines(chunksOf(chunks), maxLineBytes));
  return lines.map((line) => line?.toString('latin1') ?? null);
}

async function* chunksOf(chunks: readonly (string | Buffer)[]) {
  await Promise.resolve();
  yield* chunks;
}

describe('lines of a file', () => {
  it.each([
    ['a\nb', ['a', 'b']],
    ['a\r\nb\r\n', ['a', 'b']],
    ['\n\na\n', ['', '', 'a']],
    ['', []],
    ['1234567890\n12345678901\n1', ['1234567890', null, '1']],
    ['123456789012', [null]],
  ])('are the same for chunks of any size: %j', async (text, lines) => {
    expect(await linesOf([text])).toEqual(lines);
    expect(await linesOf(text.split(''))).toEqual(lines);
  });

  it.each([
    ['\ufeffa\nb', ['a', 'b']],
    ['\ufeff', ['']],
    ['\ufeff\na', ['', 'a']],
    ['\ufeff\r\na', ['', 'a']],
  ])('begin after a byte order mark, even if the mark arrives in two chunks: %j', async (text, lines) => {
    const bytes = Buffer.from(text);
    expect(await linesOf([bytes])).toEqual(lines);
    expect(await linesOf(Array.from(bytes, (byte) => Buffer.from([byte])))).toEqual(lines);
  });

  it('keep bytes that are invalid in UTF-8', async () => {
    expect(await linesOf([Buffer.from([0x61, 0xe9, 0x0a, 0xed, 0xa0, 0x80])])).toEqual(['a\xe9', '\xed\xa0\x80']);
  });

  it('are read with few memory allocations, even if a long line arrives byte by byte', async () => {
    const allocations = vi.spyOn(Buffer, 'allocUnsafe');
    onTestFinished(() => allocations.mockRestore());
    const line = 'x'.repeat(64 * 1024);
    expect(await linesOf(line.split(''), line.length)).toEqual([line]);
    expect(allocations.mock.calls.length).toBeLessThan(20);
  });
});
