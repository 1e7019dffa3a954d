import { crc32, deflateSync, inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { smallPng } from './small-png.ts';

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
  length.writeUInt32BE(data.length);
  sum.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, sum]);
}

/** @param lines each with its filter in front, as they stand in the file */
function png(width: number, kind: 2 | 6, lines: readonly (readonly number[])[]): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(lines.length, 4);
  header.set([8, kind], 8);
  const data = deflateSync(Buffer.from(lines.flat()));
  const signature = Buffer.from('89504e470d0a1a0a', 'hex');
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', data), chunk('IEND', Buffer.alloc(0))]);
}

/** `rrggbb` of each pixel, line by line, of a picture with a palette. */
function colours(small: Buffer): string[][] {
  const at = (type: string) => small.indexOf(type, 0, 'latin1');
  const dataOf = (type: string) => small.subarray(at(type) + 4, at(type) + 4 + small.readUInt32BE(at(type) - 4));
  const width = dataOf('IHDR').readUInt32BE(0);
  const [palette, lines] = [dataOf('PLTE').toString('hex'), inflateSync(dataOf('IDAT'))];
  const height = lines.length / (width + 1);
  return Array.from({ length: height }, (_, y) =>
    [...lines.subarray(y * (width + 1) + 1, (y + 1) * (width + 1))].map((i) => palette.slice(i * 6, i * 6 + 6)),
  );
}

describe('a picture made small', () => {
  it('has the colours that it had, whatever the lines were filtered by', () => {
    const picture = png(2, 2, [
      [0, 10, 20, 30, 40, 50, 60],
      [1, 10, 20, 30, 30, 30, 30],
      [2, 1, 1, 1, 1, 1, 1],
      [3, 5, 10, 15, 5, 5, 5],
      [4, 0, 0, 0, 0, 0, 0],
    ]);
    expect(colours(smallPng(picture))).toEqual([
      ['0a141e', '28323c'],
      ['0a141e', '28323c'],
      ['0b151f', '29333d'],
      ['0a141e', '1e2832'],
      ['0a141e', '1e2832'],
    ]);
  });

  it('leaves out alpha, which a page has none of', () => {
    expect(colours(smallPng(png(1, 6, [[0, 1, 2, 3, 255]])))).toEqual([['010203']]);
  });

  it('shares a colour among shades where there are too many, and keeps the one that stands out', () => {
    const greys = Array.from({ length: 2000 }, (_, at) => [at % 250, (at % 250) + (at % 3), at % 250]);
    const [drawn = []] = colours(smallPng(png(2001, 2, [[0, ...greys.flat(), 160, 0, 200]])));
    expect(new Set(drawn).size).toBe(256);
    expect(drawn.at(-1)).toBe('a000c8');
    const first = Number.parseInt(drawn[100] ?? '', 16);
    expect(Math.abs((first & 255) - 100)).toBeLessThan(4);
  });

  it('is none where it is no picture of a browser', () => {
    const odd = png(1, 2, [[0, 1, 2, 3]]);
    odd[24] = 16;
    expect(() => smallPng(odd)).toThrow('no picture of a browser');
  });
});
