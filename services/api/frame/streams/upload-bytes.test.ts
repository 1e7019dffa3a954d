import { once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { collect } from '../../../../test/support/collect.ts';
import { createSettableClock } from '../../../../test/support/settable-clock.ts';
import { settled } from '../../../../test/support/pass-time.ts';
import { HttpProblem } from '../http-problem.ts';
import {
  minBytesPerSecond,
  rateWindowMs,
  readUploadEncoding,
  uploadBytes,
  type UploadEncoding,
} from './upload-bytes.ts';

/** Reads an upload. `problem` resolves with the problem that ends it, if any. */
function uploading(encoding: UploadEncoding = 'plain') {
  const clock = createSettableClock();
  const body = new PassThrough({ highWaterMark: 64 * 1024 * 1024 });
  let bytes = 0;
  const read = async () => {
    for await (const chunk of uploadBytes(body, { encoding, clock }))
      bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
  };
  const problem = read().then(
    () => undefined,
    (error: unknown) => (error instanceof HttpProblem ? error : new Error('no problem', { cause: error })),
  );
  return { clock, body, problem, bytes: () => bytes };
}

const enough = (minBytesPerSecond * rateWindowMs) / 1000;

describe('a body that is read as a stream', () => {
  it('is refused with 408 if it arrives below the minimum rate while the reader waits for it', async () => {
    const { clock, body, problem } = uploading();
    body.write('a'.repeat(enough - 1));
    await settled();
    clock.advance(rateWindowMs - 1);
    await settled();
    clock.advance(1);
    const refused = await problem;
    expect(refused).toMatchObject({ status: 408, code: 'upload-too-slow', headers: { connection: 'close' } });
    expect(refused?.message).toContain(`minimum rate of an upload is ${minBytesPerSecond} bytes a second`);
    expect(body.destroyed).toBe(false);
  });

  it('is read to its end at the minimum rate, whatever its duration', async () => {
    const { clock, body, problem, bytes } = uploading();
    for (let window = 0; window < 4; window++) {
      body.write('a'.repeat(enough));
      await settled();
      clock.advance(rateWindowMs);
      await settled();
    }
    body.end();
    expect(await problem).toBeUndefined();
    expect(bytes()).toBe(4 * enough);
  });

  it('is refused if it stops after a fast start', async () => {
    const { clock, body, problem } = uploading();
    body.write('a'.repeat(enough));
    await settled();
    clock.advance(rateWindowMs);
    await settled();
    clock.advance(rateWindowMs);
    expect(await problem).toMatchObject({ code: 'upload-too-slow' });
  });

  it('is not measured while the reader itself is busy', async () => {
    const clock = createSettableClock();
    const body = new PassThrough();
    body.end('abc');
    for await (const chunk of uploadBytes(body, { encoding: 'plain', clock })) {
      expect(String(chunk)).toBe('abc');
      clock.advance(100 * rateWindowMs);
    }
  });

  it('is read and discarded to its end after a refusal, so that the sender reads the answer', async () => {
    const { body, problem } = uploading('gzip');
    body.write(gzipSync(Buffer.alloc(24 * 1024 * 1024), { level: 1 }));
    expect(await problem).toMatchObject({ code: 'file-expands-too-much' });
    for (const part of ['more', 'and more']) {
      body.write(part);
      await settled();
    }
    body.end('the rest');
    await once(body, 'end');
  });
});

describe('a large upload', () => {
  const part = Buffer.alloc(64 * 1024 ** 2);
  const limit = 4 * 1024 ** 3;
  const partsOf = (more: number) => [...Array<Buffer>(limit / part.length).fill(part), Buffer.alloc(more)];

  it('is accepted up to 4 GiB and refused from the first byte beyond', async () => {
    const read = async (parts: readonly Buffer[]) => {
      let bytes = 0;
      const body = Readable.from(parts);
      for await (const chunk of uploadBytes(body, { encoding: 'plain', clock: createSettableClock() }))
        bytes += Buffer.isBuffer(chunk) ? chunk.length : 0;
      return bytes;
    };
    expect(await read(partsOf(0))).toBe(limit);
    await expect(read(partsOf(1))).rejects.toMatchObject({ status: 413, code: 'file-too-large' });
  });
});

describe('a compressed file', () => {
  it('is refused if it decompresses to more than a hundred times its size', async () => {
    const { body, problem, bytes } = uploading('gzip');
    body.end(gzipSync(Buffer.alloc(24 * 1024 * 1024, 'same-user-id\n')));
    const refused = await problem;
    expect(refused).toMatchObject({ status: 413, code: 'file-expands-too-much' });
    expect(refused?.message).toContain('more than 100 times its size, which is the limit');
    expect(bytes()).toBeLessThan(17 * 1024 * 1024);
  });

  it('is accepted if it has a high compression ratio but is small', async () => {
    const { body, problem, bytes } = uploading('gzip');
    body.end(gzipSync(Buffer.from('same-user-id\n'.repeat(100_000))));
    expect(await problem).toBeUndefined();
    expect(bytes()).toBe(1_300_000);
  });

  it('is accepted if it is large and each row has one user', async () => {
    const rows = Array.from({ length: 700_000 }, (_, user) => `user-of-singapore-${user}\n`).join('');
    const { body, problem, bytes } = uploading('gzip');
    body.end(gzipSync(Buffer.from(rows), { level: 1 }));
    expect(await problem).toBeUndefined();
    expect(bytes()).toBe(rows.length);
  });
});

async function textOf(chunks: readonly Buffer[], encoding: UploadEncoding): Promise<string> {
  const body = Readable.from(chunks, { objectMode: false });
  const read = await collect(uploadBytes(body, { encoding, clock: createSettableClock() }));
  return Buffer.concat(read.filter((chunk) => Buffer.isBuffer(chunk))).toString();
}

const bytewise = (file: Buffer) => Array.from(file, (byte) => Buffer.from([byte]));

describe('a file without a content encoding', () => {
  const packed = gzipSync('u-1\nu-2\n');

  it('is decompressed if it begins with the bytes of gzip, even if they arrive one by one', async () => {
    expect(await textOf([packed], 'plain')).toBe('u-1\nu-2\n');
    expect(await textOf(bytewise(packed), 'plain')).toBe('u-1\nu-2\n');
  });

  it.each([
    ['', 'nothing'],
    ['u', 'one byte'],
    ['\u001f', 'the first byte of gzip'],
    ['\u001f\u008b', 'characters that look like gzip'],
    ['u-1\n\u001f\u008b', 'gzip in the second line'],
  ])('is read unchanged if it does not begin with the bytes of gzip: %j, %s', async (text) => {
    expect(await textOf([Buffer.from(text)], 'plain')).toBe(text);
    expect(await textOf(bytewise(Buffer.from(text)), 'plain')).toBe(text);
  });

  it('has the limits of a compressed file if it is compressed', async () => {
    const { body, problem } = uploading('plain');
    body.write(gzipSync(Buffer.alloc(24 * 1024 * 1024), { level: 1 }));
    expect(await problem).toMatchObject({ status: 413, code: 'file-expands-too-much' });
    body.end('the rest');
    await once(body, 'end');
  });
});

describe('a file that is compressed twice', () => {
  it.each(['gzip', 'plain'] as const)('is refused with an instruction and read to its end: %s', async (encoding) => {
    const { body, problem, bytes } = uploading(encoding);
    body.write(gzipSync(gzipSync('u-1\nu-2\n')));
    const refused = await problem;
    expect(refused).toMatchObject({ status: 415, code: 'unsupported-encoding' });
    expect(refused?.message).toContain('decompress it once');
    expect(bytes()).toBe(0);
    body.end('the rest');
    await once(body, 'end');
  });
});

describe('the content encoding of an upload', () => {
  it.each([
    [undefined, 'plain'],
    ['', 'plain'],
    ['identity', 'plain'],
    ['Identity', 'plain'],
    ['gzip', 'gzip'],
    ['GZIP', 'gzip'],
    ['GZip ', 'gzip'],
    ['x-gzip', 'gzip'],
    ['X-Gzip', 'gzip'],
  ] as const)('is read in upper and lower case: %j', (header, encoding) => {
    expect(readUploadEncoding(header)).toBe(encoding);
  });

  it.each(['br', 'zstd', 'deflate', 'gzip, gzip', 'gzip;q=1', 'utf-8'])('is refused if unknown: %s', (header) => {
    expect(() => readUploadEncoding(header)).toThrow(`content-encoding is "${header}", and has to be gzip or absent`);
  });
});
