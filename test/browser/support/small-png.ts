import { crc32, deflateSync, inflateSync } from 'node:zlib';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const maxColours = 256;

interface Pixels {
  width: number;
  height: number;
  /** 0xRRGGBB, row by row. */
  colours: Uint32Array;
}

/**
 * The same picture in at most 256 colours, packed as well as it goes: a page is made of few, and of many shades between them that nobody can
 * tell apart.
 * @param png of a browser: 8 bits a channel, with or without alpha, not interlaced
 */
export function smallPng(png: Buffer): Buffer {
  const { width, height, colours } = pixelsOf(png);
  const { palette, indexOf } = paletteOf(colours);
  const lines = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) lines[y * (width + 1) + 1 + x] = indexOf.get(colours[y * width + x] ?? 0) ?? 0;
  }
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  // Eight bits, by a palette.
  header.set([8, 3], 8);
  const table = Buffer.from(palette.flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
  const data = deflateSync(lines, { level: 9, memLevel: 9 });
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('PLTE', table),
    chunk('IDAT', data),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = Buffer.alloc(8);
  around.writeUInt32BE(data.length, 0);
  around.writeUInt32BE(crc32(named), 4);
  return Buffer.concat([around.subarray(0, 4), named, around.subarray(4)]);
}

interface Shade {
  colour: number;
  /** Pixels that have it. */
  pixels: number;
  /** In the palette: the nearest one there so far. */
  index: number;
  /** How far that is away. */
  off: number;
}

/** Always the colour that most is wrong by: so the few pixels of a warning keep theirs, and shades of a grey share one. */
function paletteOf(colours: Uint32Array): { palette: number[]; indexOf: Map<number, number> } {
  const counts = new Map<number, number>();
  for (const colour of colours) counts.set(colour, (counts.get(colour) ?? 0) + 1);
  const shades: Shade[] = [...counts].map(([colour, pixels]) => ({ colour, pixels, index: 0, off: Infinity }));
  const palette: number[] = [];
  while (palette.length < maxColours) {
    const worst = shades.reduce((a, b) => (b.off * b.pixels > a.off * a.pixels ? b : a));
    if (worst.off === 0) break;
    const index = palette.push(worst.colour) - 1;
    for (const shade of shades) {
      const off = distance(shade.colour, worst.colour);
      if (off < shade.off) Object.assign(shade, { index, off });
    }
  }
  return { palette, indexOf: new Map(shades.map(({ colour, index }) => [colour, index])) };
}

function distance(a: number, b: number): number {
  const square = (shift: number) => (((a >> shift) & 255) - ((b >> shift) & 255)) ** 2;
  return 2 * square(16) + 4 * square(8) + 3 * square(0);
}

function pixelsOf(png: Buffer): Pixels {
  const chunks = chunksOf(png);
  const header = chunks.find(({ type }) => type === 'IHDR')?.data ?? Buffer.alloc(13);
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const [depth, kind, , , interlaced] = header.subarray(8);
  if (depth !== 8 || (kind !== 2 && kind !== 6) || interlaced !== 0) throw new Error('no picture of a browser');
  const bytes = kind === 6 ? 4 : 3;
  const data = inflateSync(Buffer.concat(chunks.filter(({ type }) => type === 'IDAT').map((each) => each.data)));
  const lines = unfiltered(data, width * bytes, height, bytes);
  const colours = new Uint32Array(width * height);
  for (let at = 0; at < colours.length; at++) colours[at] = lines.readUIntBE(at * bytes, 3);
  return { width, height, colours };
}

function chunksOf(png: Buffer): { type: string; data: Buffer }[] {
  const chunks = [];
  for (let at = signature.length; at < png.length;) {
    const length = png.readUInt32BE(at);
    chunks.push({ type: png.toString('latin1', at + 4, at + 8), data: png.subarray(at + 8, at + 8 + length) });
    at += length + 12;
  }
  return chunks;
}

/** Each line was written as its difference to what is left of it and above it. */
function unfiltered(data: Buffer, lineBytes: number, height: number, pixelBytes: number): Buffer {
  const out = Buffer.alloc(lineBytes * height);
  for (let y = 0; y < height; y++) {
    const filter = data[y * (lineBytes + 1)] ?? 0;
    const line = y * lineBytes;
    for (let x = 0; x < lineBytes; x++) {
      const left = x < pixelBytes ? 0 : (out[line + x - pixelBytes] ?? 0);
      const above = y === 0 ? 0 : (out[line + x - lineBytes] ?? 0);
      const corner = y === 0 || x < pixelBytes ? 0 : (out[line + x - lineBytes - pixelBytes] ?? 0);
      out[line + x] = (data[y * (lineBytes + 1) + 1 + x] ?? 0) + predicted(filter, left, above, corner);
    }
  }
  return out;
}

function predicted(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left;
    case 2:
      return above;
    case 3:
      return (left + above) >> 1;
    case 4:
      return paeth(left, above, corner);
    default:
      return 0;
  }
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [toLeft, toAbove, toCorner] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (toLeft <= toAbove && toLeft <= toCorner) return left;
  return toAbove <= toCorner ? above : corner;
}
