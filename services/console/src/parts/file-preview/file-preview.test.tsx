// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { partners } from '../../../testing/audiences/audiences.ts';
import { problem, type Answers, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { fakeUploads } from '../../../testing/fakes/fake-upload.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { filePreview, withoutCountries } from '../../../testing/audiences/user-files.ts';

afterEach(() => vi.unstubAllGlobals());

const route = 'POST /v1/user-files/preview';
const file = new File(['plan;customer_id;market\nx;u-1;SG\n'], 'riders.csv');

/** Opens the console, chooses a file, and returns the console with the uploads that it sends. */
async function chosen(answers: Answers) {
  const uploads: string[] = [];
  vi.stubGlobal('XMLHttpRequest', fakeUploads(uploads, partners));
  const { api, user } = await openConsole('/audiences', { answers });
  await user.upload(await screen.findByLabelText('File with a list of users'), file);
  const form = within(screen.getByRole('group', { name: 'Upload riders.csv' }));
  return { api, user, form, uploads, queries: () => api.requestsTo(route).map(({ query }) => query) };
}

describe('the preview of a chosen file', () => {
  it('shows format, columns, counts, first users, warnings and rejected lines, and stores nothing', async () => {
    const { form, api, uploads } = await chosen({ [route]: filePreview });
    const preview = within(await form.findByRole('region', { name: 'Preview of the file' }));
    expect(preview.getByText('CSV, UTF-8, separated by semicolons. Not read: plan.')).toBeDefined();
    expect(preview.getByText(/^1,010 lines = 1,000 with a user \+ 10 rejected\./)).toBeDefined();
    expect(preview.getByText('SG 800 · VN 200')).toBeDefined();
    expect(preview.getByText('2 user ids look like 6.59123E+11.')).toBeDefined();
    const users = preview.getByRole('table', { name: 'First users' });
    expect(within(users).getByRole('row', { name: 'u-1 SG' })).toBeDefined();
    const rejected = preview.getByRole('table', { name: 'First 1 rejected lines' });
    expect(
      within(rejected).getByRole('row', { name: '9 the user id is a mark for a missing value NULL' }),
    ).toBeDefined();
    expect(api.requestsTo(route).map(({ body }) => body)).toEqual(['plan;customer_id;market\nx;u-1;SG\n']);
    expect(uploads).toEqual([]);
  });

  it('reads the file again with the chosen columns, and the upload uses these columns too', async () => {
    const { form, user, uploads, queries } = await chosen({
      [route]: ({ query }: FakeRequest) => (query['country'] === 'market' ? filePreview : withoutCountries),
    });
    expect(await form.findByText(/^The column of countries was not detected/)).toBeDefined();
    await user.selectOptions(form.getByLabelText('Country of its users'), 'market');
    expect(await form.findByText('SG 800 · VN 200')).toBeDefined();
    expect(form.queryByText(/^The column of countries was not detected/)).toBeNull();
    await user.selectOptions(form.getByLabelText('Column of user ids'), 'plan');
    await user.click(form.getByRole('button', { name: /^Upload \d+ B$/ }));
    await vi.waitFor(() => expect(uploads).toHaveLength(1));
    expect(queries()).toEqual([{}, { country: 'market' }, { user: 'plan', country: 'market' }]);
    expect(uploads[0]).toMatch(/\?name=riders\.csv&user=plan&country=market$/);
  });

  it('offers the columns of a file if no column of user ids was detected', async () => {
    const nothing = { rows: 0, users: 0, firstUsers: [], countries: [], rejected: 0, rejects: [] };
    const refusal = { code: 'no-user-column', detail: 'the first line names no column of user ids' } as const;
    const columns = ['kunde', 'land'].map((name) => ({ name, use: 'ignored' }));
    const { form, user, queries } = await chosen({
      [route]: ({ query }: FakeRequest) =>
        'user' in query ? filePreview : { ...filePreview, ...nothing, reading: null, columns, refusal },
    });
    expect(await form.findByText('The column of user ids was not detected: choose it.')).toBeDefined();
    expect(form.queryByRole('table')).toBeNull();
    await user.selectOptions(form.getByLabelText('Column of user ids'), 'kunde');
    expect(await form.findByRole('table', { name: 'First users' })).toBeDefined();
    expect(queries()).toEqual([{}, { user: 'kunde' }]);
  });

  it('names columns by their numbers if the first line is a user', async () => {
    const columns = [
      { name: '1', use: 'user' },
      { name: '2', use: 'ignored' },
    ];
    const { form, user, queries } = await chosen({
      [route]: ({ query }: FakeRequest) => (query['header'] === 'none' ? { ...filePreview, columns } : filePreview),
    });
    await user.click(await form.findByLabelText('The first line is a user, not a header'));
    await form.findByRole('option', { name: 'Users: column 2' });
    await user.selectOptions(form.getByLabelText('Column of user ids'), '2');
    await vi.waitFor(() => expect(queries()).toHaveLength(3));
    expect(queries()).toEqual([{}, { header: 'none' }, { header: 'none', user: '2' }]);
  });

  it('requires consent if too many rows are rejected, and sends their number', async () => {
    const refusal = { code: 'too-many-rejected', detail: '10 of 100 rows are rejected' } as const;
    const { form, user, uploads } = await chosen({ [route]: { ...filePreview, refusal } });
    expect(await form.findByText(/^10 of 1,010 lines are rejected: correct the file/)).toBeDefined();
    await user.click(form.getByRole('button', { name: 'Skip 10 rows and upload' }));
    await vi.waitFor(() => expect(uploads).toHaveLength(1));
    expect(uploads[0]).toMatch(/acceptRejected=10$/);
  });

  it('can be retried if it fails, and shows the columns that an upload would send', async () => {
    const answers: unknown[] = [
      withoutCountries,
      problem(429, 'too-many-uploads', 'the keys of this account have 2 uploads under way'),
      filePreview,
    ];
    const { form, user, queries } = await chosen({ [route]: () => answers.shift() });
    await form.findByText(/^The column of countries was not detected/);
    await user.selectOptions(form.getByLabelText('Country of its users'), 'market');
    expect(await form.findByText(/^Other files of your team are being read\./)).toBeDefined();
    expect(form.getByLabelText<HTMLSelectElement>('Country of its users').value).toBe('market');
    await user.click(form.getByRole('button', { name: 'Read it again' }));
    expect(await form.findByText('SG 800 · VN 200')).toBeDefined();
    expect(queries()).toEqual([{}, { country: 'market' }, { country: 'market' }]);
  });

  it('sends one country for all users, without a parameter about the header line', async () => {
    const reading = filePreview.reading && { ...filePreview.reading, columns: [] };
    const { form, user, queries } = await chosen({ [route]: { ...filePreview, reading } });
    await form.findByRole('table', { name: 'First users' });
    await user.selectOptions(form.getByLabelText('Country of its users'), 'SG');
    await vi.waitFor(() => expect(queries()).toHaveLength(2));
    expect(queries()).toEqual([{}, { country: 'SG' }]);
  });

  it('is not sent again once the file is uploaded', async () => {
    const { form, user, uploads, queries } = await chosen({ [route]: filePreview });
    await form.findByRole('table', { name: 'First users' });
    await user.click(form.getByRole('button', { name: /^Upload \d+ B$/ }));
    await vi.waitFor(() => expect(screen.queryByRole('group', { name: 'Upload riders.csv' })).toBeNull());
    expect([uploads.length, queries().length]).toEqual([1, 1]);
  });

  it('names the reason if the file cannot be read', async () => {
    const { form } = await chosen({
      [route]: () => problem(422, 'unreadable-file', 'the file is a PDF document, and has to be a CSV file'),
    });
    expect((await form.findByRole('alert')).textContent).toBe(
      'The file is a PDF document, and has to be a CSV file. Nothing was stored.',
    );
    expect(form.queryByLabelText('Column of user ids')).toBeNull();
  });
});
