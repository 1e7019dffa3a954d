import { encodingOf, requireRowsOfText, type FileEncoding } from './file-format.ts';
import { fileProblem } from './file-problems.ts';

/** Number of bytes at the beginning of a file that are examined before any row is processed. */
const headBytes = 64 * 1024;

export interface FileText {
  encoding: FileEncoding;
  /**
   * Lines of the first 64 KiB, without line ends and without an incomplete last line. U+FFFD replaces invalid bytes.
   */
  headLines: readonly string[];
  /** The whole file as UTF-8 without a byte order mark. */
  bytes: AsyncIterable<Buffer>;
  /** Ends the source. It must be called even if `bytes` are not read, because the sender waits until then. */
  close(): Promise<void>;
}

interface FileHead {
  bytes: Buffer;
  isWhole: boolean;
  /** Error that has ended the source too early; null if there was none. */
  failure: { error: unknown } | null;
}

/**
 * Examines the beginning of a file and determines its encoding.
 * @throws {HttpProblem} 422 for a format or an encoding that cannot be read
 */
export async function openFile(
  bytes: AsyncIterable<unknown>,
  { allowsJson = false }: { allowsJson?: boolean } = {},
): Promise<FileText> {
  const source = bytes[Symbol.asyncIterator]();
  const close = async () => {
    await source.return?.();
  };
  try {
    const head = await readHead(source);
    const { encoding, markBytes } = encodingOf(head.bytes);
    const first = head.bytes.subarray(markBytes);
    const text = new TextDecoder(encoding, { ignoreBOM: true }).decode(first, { stream: !head.isWhole });
    requireRowsOfText(text, { allowsJson });
    // Files of old Macs have line ends that consist only of a carriage return.
    const hasReturns = !text.includes('\n') && /\r[^\r]/.test(text);
    const lines = text.split(hasReturns ? '\r' : '\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
    const headLines = head.isWhole ? lines : lines.slice(0, -1);
    requireFirstLine(headLines, head);
    const all = restOf({ ...head, bytes: first }, source);
    const utf8 = encoding === 'utf-8' ? all : fromUtf16(all, encoding);
    return { encoding, headLines, bytes: hasReturns ? withLineFeeds(utf8) : utf8, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function readHead(source: AsyncIterator<unknown>): Promise<FileHead> {
  const chunks: Buffer[] = [];
  let length = 0;
  try {
    while (length < headBytes) {
      const next = await source.next();
      if (next.done) return { bytes: Buffer.concat(chunks), isWhole: true, failure: null };
      const chunk = bufferOf(next.value);
      chunks.push(chunk);
      length += chunk.length;
    }
  } catch (error) {
    return { bytes: Buffer.concat(chunks), isWhole: false, failure: { error } };
  }
  return { bytes: Buffer.concat(chunks), isWhole: false, failure: null };
}

/**
 * Checks that there is a first line.
 * @throws the error of the source, or {HttpProblem} 422 if the first 64 KiB contain no complete line with content
 */
function requireFirstLine(lines: readonly string[], { isWhole, failure }: FileHead): void {
  if (isWhole || lines.some((line) => line.trim() !== '')) return;
  if (failure) throw failure.error;
  throw fileProblem('unreadable-file', 'the first 64 KiB of the file contain no complete line; is it a CSV file?');
}

function bufferOf(chunk: unknown): Buffer {
  return Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
}

async function* restOf(head: FileHead, source: AsyncIterator<unknown>): AsyncGenerator<Buffer, void> {
  yield head.bytes;
  if (head.failure) throw head.failure.error;
  for (let next = await source.next(); !next.done; next = await source.next()) yield bufferOf(next.value);
}

async function* fromUtf16(bytes: AsyncIterable<Buffer>, encoding: FileEncoding): AsyncGenerator<Buffer, void> {
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  for await (const chunk of bytes) yield decodedPart(() => decoder.decode(chunk, { stream: true }), encoding);
  yield decodedPart(() => decoder.decode(), encoding);
}

function decodedPart(decode: () => string, encoding: FileEncoding): Buffer {
  try {
    return Buffer.from(decode());
  } catch {
    throw fileProblem(
      'unreadable-file',
      `the file is not well-formed ${encoding.toUpperCase()}; save it as "CSV UTF-8"`,
    );
  }
}

async function* withLineFeeds(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  for await (const chunk of bytes) yield Buffer.from(chunk.toString('latin1').replaceAll('\r', '\n'), 'latin1');
}
