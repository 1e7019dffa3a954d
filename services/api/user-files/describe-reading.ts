import type { FileReading, FileWarning } from '../../../shared/contracts/campaigns/file-reading.ts';
import { quoted } from '../frame/http-problem.ts';
import type { FileColumns } from './file-columns.ts';
import type { FileText } from './file-text.ts';
import type { UploadReading } from './read-upload.ts';

export function describeReading(
  { encoding }: Pick<FileText, 'encoding'>,
  { separator, names, id, country, count }: FileColumns,
  reading: Pick<UploadReading, 'counts' | 'sample'>,
): FileReading {
  const { trimmed, padded, rounded } = reading.counts();
  const users = reading.sample();
  const details: Readonly<Record<FileWarning['code'], string | null>> = {
    'rounded-ids': roundedDetail(rounded),
    'padded-ids': paddedDetail(padded),
    'nearly-equal-ids': nearlyEqualDetail(users),
    'separator-in-ids': semicolonDetail(users),
  };
  const codes = ['rounded-ids', 'padded-ids', 'nearly-equal-ids', 'separator-in-ids'] as const;
  return {
    encoding,
    separator: count > 1 ? separator : null,
    columns: [...names],
    userColumn: names[id] ?? null,
    countryColumn: names[country] ?? null,
    trimmed,
    warnings: codes.flatMap((code) => {
      const detail = details[code];
      return detail === null ? [] : [{ code, detail }];
    }),
  };
}

function roundedDetail(rounded: number): string | null {
  if (rounded === 0) return null;
  const ids = rounded === 1 ? '1 user id looks' : `${rounded} user ids look`;
  return `${ids} like 6.59123E+11: Excel has rounded a long number. Format the column as text, and export the file again`;
}

function paddedDetail(padded: number): string | null {
  if (padded === 0) return null;
  const ids = padded === 1 ? '1 user id begins or ends' : `${padded} user ids begin or end`;
  return `${ids} with spaces, which belong to the id because the file has no header. With a header they are removed`;
}

/**
 * Returns a warning about user ids that differ only by case or character width, because they count as different users.
 * Returns null if there are none.
 */
function nearlyEqualDetail(users: readonly string[]): string | null {
  const seen = new Map<string, string>();
  for (const user of users) {
    const folded = user.normalize('NFKC').toLowerCase();
    const other = seen.get(folded);
    if (other !== undefined && other !== user) {
      return `some user ids differ only by case or width, such as ${quoted(other)} and ${quoted(user)}: they are different users`;
    }
    seen.set(folded, user);
  }
  return null;
}

function semicolonDetail(users: readonly string[]): string | null {
  const odd = users.find((user) => user.includes(';'));
  return odd === undefined ? null : `some user ids contain a semicolon, such as ${quoted(odd)}`;
}
