import type { Readable } from 'node:stream';
import type { UserFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { brokenUpload, uploadBytes, type UploadEncoding, type UploadTerms } from '../frame/streams/upload-bytes.ts';
import { describeReading } from './describe-reading.ts';
import { columnsOf, firstFieldsOf, type ColumnChoice, type FileColumns } from './file-columns.ts';
import { refusalOf } from './file-problems.ts';
import { openFile, type FileText } from './file-text.ts';
import { createUploadReading } from './read-upload.ts';
import { countryNeedOf, type UserFileTerms } from './read-user-file.ts';
import { requireFewRejects } from './reject-share.ts';
import type { UploadRows } from './upload.port.ts';
import { ruleWords } from './user-cells.ts';

export const maxPreviewUsers = 5;
export const maxPreviewRejects = 10;
const maxPreviewCountries = 50;

const anywhere = '*';

export interface PreviewTerms extends Omit<UserFileTerms, 'onRows' | 'onBegin'>, UploadTerms {
  body: Readable;
  /** Number of rejected rows that the sender accepts. */
  acceptRejected: number | undefined;
}

/**
 * Reads a whole file like an upload, without storing it. If the content of the file would be refused, the refusal is
 * part of the answer.
 * @throws {HttpProblem} if the file is not a CSV file, is too large or incomplete, arrives too slowly or cannot be
 * decompressed
 */
export async function previewUserFile({ body, encoding, clock, ...terms }: PreviewTerms): Promise<UserFilePreview> {
  let format: UploadEncoding = encoding;
  const onEncoding = (found: UploadEncoding) => {
    format = found;
  };
  let lines = () => 0;
  try {
    const file = await openFile(uploadBytes(body, { encoding, clock, onEncoding }));
    try {
      const preview = await previewOf(file, terms, (read) => {
        lines = read;
      });
      return { format, ...preview };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw brokenUpload(error, lines()) ?? error;
  }
}

type Content = Omit<UserFilePreview, 'format'>;

async function previewOf(
  file: FileText,
  { choice, acceptRejected, hasCountries, country, ...terms }: Omit<PreviewTerms, 'body' | keyof UploadTerms>,
  onBegin: (lines: () => number) => void,
): Promise<Content> {
  const { columns, refusal: unknown } = await findColumns(file, choice, countryNeedOf({ hasCountries, country }));
  if (columns === null) return { ...nothingRead, columns: fieldsToChoose(file.headLines, choice), refusal: unknown };
  // Users are also listed if no column contains their countries.
  const isWithout = !hasCountries || unknown !== null;
  const all = isWithout ? { country: anywhere, countries: { has: () => true } } : { ...terms, country };
  const users = collectUsers(isWithout);
  const reading = createUploadReading({ ...all, columns, onRows: users.add });
  onBegin(() => reading.lines());
  const refusal = await refusalOf(async () => {
    await reading.read(file.bytes);
    if (unknown === null) requireFewRejects(reading.end(), acceptRejected);
  });
  const read = { reading: describeReading(file, columns, reading), columns: columnsWithUse(columns) };
  // No rows are shown for a file that is refused because of its country, because the rows before the refusal were not
  // passed on.
  if (refusal?.code === 'other-country') return { ...nothingRead, ...read, refusal };
  const { rows, rejected, rejects } = reading.end();
  return {
    ...read,
    rows,
    rejected,
    rejects: rejects.slice(0, maxPreviewRejects).map((row) => ({ ...row, detail: ruleWords[row.rule] })),
    ...users.found(),
    outcomes: [],
    refusal: unknown ?? refusal,
  };
}

export const nothingRead = {
  reading: null,
  rows: 0,
  rejected: 0,
  rejects: [],
  users: 0,
  firstUsers: [],
  countries: [],
  usersElsewhere: 0,
  outcomes: [],
} satisfies Partial<Content>;

/** Returns the columns of a file, or a refusal. Returns both if only the column of countries is missing. */
async function findColumns(
  { headLines }: FileText,
  choice: ColumnChoice,
  countries: 'column' | 'optional' | 'ignored',
): Promise<{ columns: FileColumns | null; refusal: Content['refusal'] }> {
  const found: FileColumns[] = [];
  const refusal = await refusalOf(() => found.push(columnsOf(headLines, { choice, countries })));
  if (refusal?.code === 'no-country-column') found.push(columnsOf(headLines, { choice, countries: 'ignored' }));
  return { columns: found[0] ?? null, refusal };
}

/** Returns the columns of a file whose meaning is unknown, so that a person can choose. */
export function fieldsToChoose(headLines: readonly string[], choice: ColumnChoice): Content['columns'] {
  const fields = firstFieldsOf(headLines, choice);
  return fields.map((field, index) => ({ name: choice.header === 'none' ? `${index + 1}` : field, use: 'ignored' }));
}

function columnsWithUse({ names, id, country, count }: FileColumns): Content['columns'] {
  return Array.from({ length: count }, (_, index) => ({
    name: names[index] ?? `${index + 1}`,
    use: index === id ? 'user' : index === country ? 'country' : 'ignored',
  }));
}

function collectUsers(isWithoutCountries: boolean) {
  const firstUsers: Content['firstUsers'] = [];
  const byCountry = new Map<string, number>();

  function add({ users, countries, lines }: UploadRows): Promise<void> {
    for (let index = 0; firstUsers.length < maxPreviewUsers && index < users.length; index++) {
      const country = isWithoutCountries ? null : (countries[index] ?? null);
      firstUsers.push({ line: lines[index] ?? 0, userId: users[index] ?? '', country });
    }
    for (const country of countries) byCountry.set(country, (byCountry.get(country) ?? 0) + 1);
    return Promise.resolve();
  }

  function found(): Pick<Content, 'users' | 'firstUsers' | 'countries' | 'usersElsewhere'> {
    const users = [...byCountry.values()].reduce((sum, each) => sum + each, 0);
    if (isWithoutCountries) return { users, firstUsers, countries: [], usersElsewhere: 0 };
    return { users, firstUsers, ...largestFirst(byCountry) };
  }

  return { add, found };
}

export function largestFirst(byCountry: ReadonlyMap<string, number>): Pick<Content, 'countries' | 'usersElsewhere'> {
  const counts = [...byCountry].map(([country, users]) => ({ country, users })).sort((a, b) => b.users - a.users);
  return { countries: counts.slice(0, maxPreviewCountries), usersElsewhere: sumOf(counts.slice(maxPreviewCountries)) };
}

function sumOf(counts: readonly { users: number }[]): number {
  return counts.reduce((sum, { users }) => sum + users, 0);
}
