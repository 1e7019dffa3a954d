import { otherFormat } from './file-problems.ts';

const plainText = 'save the rows as CSV (UTF-8), and upload that file';

/** First bytes of file formats that contain no rows of text, decoded as latin1. */
const signatures: readonly (readonly [bytes: string, format: string, advice?: string])[] = [
  ['PK\u0003\u0004', 'an Excel workbook (.xlsx) or another ZIP archive'],
  ['PK\u0005\u0006', 'an empty ZIP archive'],
  ['\u00d0\u00cf\u0011\u00e0', 'an old Excel workbook (.xls)'],
  ['%PDF-', 'a PDF document', plainText],
  ['\u0089PNG', 'an image (PNG)', plainText],
  ['\u00ff\u00d8\u00ff', 'an image (JPEG)', plainText],
  ['GIF89a', 'an image (GIF)', plainText],
  ['II*\u0000', 'an image (TIFF)', plainText],
  ['MM\u0000*', 'an image (TIFF)', plainText],
  ['{\\rtf', 'a document (RTF)', plainText],
  ['PAR1\u0015', 'a Parquet file', plainText],
  ['Obj\u0001', 'an Avro file', plainText],
  ['SQLite format 3\u0000', 'an SQLite database', plainText],
  ['\u001f\u008b', 'compressed with gzip twice', 'decompress it once, and upload the result'],
  ['BZh91AY&SY', 'compressed with bzip2', 'decompress it, or compress it with gzip'],
  ['\u00fd7zXZ', 'compressed with xz', 'decompress it, or compress it with gzip'],
  ['\u0028\u00b5\u002f\u00fd', 'compressed with zstd', 'decompress it, or compress it with gzip'],
  ['7z\u00bc\u00af\u0027\u001c', 'a 7-Zip archive', 'extract it, and upload the CSV file in it'],
  ['Rar!\u001a', 'a RAR archive', 'extract it, and upload the CSV file in it'],
];

const byteOrderMarks: readonly (readonly [bytes: string, encoding: FileEncoding | 'utf-32'])[] = [
  ['\u00ff\u00fe\u0000\u0000', 'utf-32'],
  ['\u0000\u0000\u00fe\u00ff', 'utf-32'],
  ['\u00ef\u00bb\u00bf', 'utf-8'],
  ['\u00ff\u00fe', 'utf-16le'],
  ['\u00fe\u00ff', 'utf-16be'],
];

export type FileEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Beginnings of text formats that contain no rows of fields. */
const markups: readonly (readonly [RegExp, string])[] = [
  [/^\s*<(!doctype html|html|head|body|!--|table|meta)\b/i, 'a web page (HTML)'],
  [/^\s*<(\?xml|[a-z][\w:]*[\s>])/i, 'an XML document'],
  [/^\s*(\{\s*"|\[\s*[{"[\]])/, 'JSON'],
];

/**
 * Returns the encoding that the byte order mark states; UTF-8 if there is no mark.
 * @throws {HttpProblem} 422 for a format that contains no rows of text
 */
export function encodingOf(head: Buffer): { encoding: FileEncoding; markBytes: number } {
  const first = head.toString('latin1', 0, 16);
  const mark = byteOrderMarks.find(([bytes]) => first.startsWith(bytes));
  if (mark?.[1] === 'utf-32') throw otherFormat('text in UTF-32');
  if (mark) return { encoding: mark[1], markBytes: mark[0].length };
  const signature = signatures.find(([bytes]) => first.startsWith(bytes));
  if (signature) throw otherFormat(signature[1], signature[2]);
  return { encoding: 'utf-8', markBytes: 0 };
}

/**
 * Minimum number of control characters in a text that counts as binary data. In addition, more than a tenth of the text
 * must be control characters.
 */
const minControls = 8;
// oxlint-disable-next-line no-control-regex -- control characters are what this looks for
const controls = /[\u0000-\u0008\u000e-\u001f]/g;

/**
 * Checks that a file contains rows of text.
 * @throws {HttpProblem} 422 for markup and binary data
 */
export function requireRowsOfText(head: string, { allowsJson }: { allowsJson: boolean }): void {
  const markup = markups.find(([pattern]) => pattern.test(head));
  if (markup && !(allowsJson && markup[1] === 'JSON')) throw otherFormat(markup[1], plainText);
  const count = head.match(controls)?.length ?? 0;
  if (count < minControls || count * 10 < head.length) return;
  throw otherFormat(
    head.includes('\0') ? 'binary data, or UTF-16 without a byte order mark' : 'binary data',
    plainText,
  );
}
