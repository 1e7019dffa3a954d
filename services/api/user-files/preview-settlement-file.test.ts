import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { userFilePreview, type UserFilePreview } from '../../../shared/contracts/campaigns/user-file-preview.ts';
import { systemClock } from '../../../shared/runtime/system-clock.ts';
import { previewSettlementFile } from './preview-settlement-file.ts';

interface PreviewAs {
  form?: 'csv' | 'ndjson';
  user?: string;
  acceptRejected?: number;
}

async function preview(file: string | Buffer, { form = 'csv', user, acceptRejected }: PreviewAs = {}) {
  const body = Readable.from([Buffer.from(file)]);
  const answer = await previewSettlementFile({
    body,
    form,
    acceptRejected,
    encoding: 'plain',
    clock: systemClock,
    choice: { user },
  });
  return userFilePreview.parse(answer);
}

const usesOf = ({ columns }: UserFilePreview) => columns.map(({ name, use }) => `${name}: ${use}`);

describe('a preview of a settlement file', () => {
  it('shows columns with their use, the number of users of each outcome and the first rejected lines', async () => {
    const file = 'Outcome;Customer ID;Step;Note\nsucceeded;u2;1;\nfailed;u3;1;late\nfailed;u1;2;\nlost;u4;1;\n';
    const result = await preview(file);
    expect(usesOf(result)).toEqual(['Outcome: outcome', 'Customer ID: user', 'Step: step', 'Note: ignored']);
    expect(result).toMatchObject({
      reading: { separator: ';', userColumn: 'Customer ID', countryColumn: null },
      rows: 4,
      users: 3,
      rejected: 1,
      firstUsers: [{ line: 2, userId: 'u2', country: null }, { line: 3 }, { line: 4 }],
      outcomes: [
        { step: 1, outcome: 'succeeded', users: 1 },
        { step: 1, outcome: 'failed', users: 1 },
        { step: 2, outcome: 'failed', users: 1 },
      ],
      rejects: [
        { line: 5, value: 'u4', rule: 'invalid-outcome', detail: expect.stringContaining('neither') as string },
      ],
      refusal: { code: 'too-many-rejected' },
    });
    expect((await preview(file, { acceptRejected: 1 })).refusal).toBeNull();
  });

  it('shows the use of the columns of a file without a header', async () => {
    const result = await preview(gzipSync('u1,1,failed,late,SG\nu2,1,succeeded,,SG\n'));
    expect(usesOf(result)).toEqual(['1: user', '2: step', '3: outcome', '4: code', '5: country']);
    expect(result).toMatchObject({ format: 'gzip', countries: [{ country: 'SG', users: 2 }], refusal: null });
  });

  it('lists the columns to choose from if no column is known to contain user ids', async () => {
    const file = 'kunde,step,outcome\nu2,1,succeeded\n';
    const result = await preview(file);
    expect(result).toMatchObject({ reading: null, rows: 0, refusal: { code: 'no-user-column' } });
    expect(usesOf(result)).toEqual(['kunde: ignored', 'step: ignored', 'outcome: ignored']);
    expect(await preview(file, { user: 'kunde' })).toMatchObject({ users: 1, refusal: null });
  });

  it('reads NDJSON', async () => {
    const lines = '{"userId":"u2","step":1,"outcome":"failed","country":"SG"}\n';
    expect(await preview(lines, { form: 'ndjson' })).toMatchObject({
      users: 1,
      columns: [],
      countries: [{ country: 'SG', users: 1 }],
      outcomes: [{ step: 1, outcome: 'failed', users: 1 }],
    });
  });

  it('is refused for a file that is not CSV', async () => {
    await expect(preview('%PDF-1.7\n')).rejects.toMatchObject({ code: 'unreadable-file' });
  });
});
