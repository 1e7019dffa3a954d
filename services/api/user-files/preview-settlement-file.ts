import type { Readable } from 'node:stream';
import { type UserFilePreview, previewedRules } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { brokenUpload, uploadBytes, type UploadEncoding, type UploadTerms } from '../frame/streams/upload-bytes.ts';
import { refusalOf } from './file-problems.ts';
import { fieldsToChoose, largestFirst, nothingRead, maxPreviewRejects, maxPreviewUsers } from './preview-user-file.ts';
import { createSettlementJudge, settlementRuleWords } from './judge-settlement.ts';
import type { SettlementColumns } from './settlement-columns.ts';
import { openSettlementFile, type ReadLine, type SettlementForm, type SettlementText } from './settlement-lines.ts';

export interface SettlementPreviewTerms extends SettlementForm, UploadTerms {
  body: Readable;
  /** Number of rejected lines that the sender accepts. */
  acceptRejected: number | undefined;
}

type Content = Omit<UserFilePreview, 'format'>;

/**
 * Reads a whole settlement file like a settlement, without settling users. If the content of the file would be refused,
 * the refusal is part of the answer.
 * @throws {HttpProblem} if the file has another format, is too large or incomplete, arrives too slowly or cannot be
 * decompressed
 */
export async function previewSettlementFile(terms: SettlementPreviewTerms): Promise<UserFilePreview> {
  const { body, encoding, clock, acceptRejected, ...form } = terms;
  let format: UploadEncoding = encoding;
  const onEncoding = (found: UploadEncoding) => {
    format = found;
  };
  const counted = countLines();
  try {
    const opened: SettlementText[] = [];
    const bytes = uploadBytes(body, { encoding, clock, onEncoding });
    let columns: Content['columns'] = [];
    const onHead = (lines: readonly string[]) => {
      columns = fieldsToChoose(lines, form.choice ?? {});
    };
    const unknown = await refusalOf(async () => opened.push(await openSettlementFile(bytes, form, onHead)));
    const [file] = opened;
    if (!file) return { format, ...nothingRead, columns, refusal: unknown };
    try {
      const judge = createSettlementJudge(acceptRejected);
      for await (const read of file.lines) {
        judge.take(read);
        counted.take(read);
      }
      const refusal = await refusalOf(() => judge.judge(0));
      return { format, ...describeFile(file), ...counted.found(), refusal };
    } finally {
      await file.close();
    }
  } catch (error) {
    throw brokenUpload(error, counted.found().rows) ?? error;
  }
}

const uses = { userId: 'user', country: 'country', step: 'step', outcome: 'outcome', code: 'code' } as const;

function describeFile({ encoding, columns }: SettlementText): Pick<Content, 'reading' | 'columns'> {
  const { names, separator } = columns ?? { names: [], separator: null };
  const nameOf = (field: keyof typeof uses) => names[columns?.fields.indexOf(field) ?? -1] ?? null;
  return {
    reading: {
      encoding,
      separator,
      columns: [...names],
      trimmed: 0,
      warnings: [],
      userColumn: nameOf('userId'),
      countryColumn: nameOf('country'),
    },
    columns: columns ? columnsWithUse(columns) : [],
  };
}

function columnsWithUse({ names, fields }: SettlementColumns): Content['columns'] {
  return fields.map((field, index) => ({
    name: names[index] ?? `${index + 1}`,
    use: field === null ? 'ignored' : uses[field],
  }));
}

function countLines() {
  const firstUsers: Content['firstUsers'] = [];
  const rejects: Content['rejects'] = [];
  const byOutcome = new Map<string, Content['outcomes'][number]>();
  const byCountry = new Map<string, number>();
  let [rows, rejected] = [0, 0];

  function take({ line, entry }: ReadLine): void {
    rows++;
    if ('rule' in entry) {
      rejected++;
      const detail = settlementRuleWords[entry.rule] ?? entry.rule;
      // In the preview, all lines that cannot be parsed have the same rule, whatever the kind of file.
      const rule = previewedRules.find((each) => each === entry.rule) ?? 'malformed-row';
      if (rejects.length < maxPreviewRejects) rejects.push({ line, value: entry.userId ?? '', rule, detail });
      return;
    }
    const { user, step, outcome, country } = entry;
    if (firstUsers.length < maxPreviewUsers) firstUsers.push({ line, userId: user, country });
    const key = `${step} ${outcome}`;
    byOutcome.set(key, { step, outcome, users: (byOutcome.get(key)?.users ?? 0) + 1 });
    if (country !== null) byCountry.set(country, (byCountry.get(country) ?? 0) + 1);
  }

  function found(): Omit<Content, 'reading' | 'columns' | 'refusal'> {
    const outcomes = [...byOutcome.values()].sort((a, b) => a.step - b.step || b.outcome.localeCompare(a.outcome));
    return { rows, rejected, rejects, users: rows - rejected, firstUsers, ...largestFirst(byCountry), outcomes };
  }

  return { take, found };
}
