// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { suppressionLists, suppressionUpload } from '../../../testing/installation/engine.ts';
import { problem, type FakeRequest } from '../../../testing/fakes/fake-api.ts';
import { fakeUploads } from '../../../testing/fakes/fake-upload.ts';
import { openConsole } from '../../../testing/open-console.tsx';
import { suppressionPreview } from '../../../testing/audiences/user-files.ts';
import { describeLastCall, describeUpload, parseUserIds } from './list-words.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('the page shows lists with their sizes, and uploaded files with their results', async () => {
  await openConsole('/suppressions');
  expect((await screen.findByRole('row', { name: /^every action type/ })).textContent).toContain('1,204');
  expect(screen.getByRole('row', { name: /^“Send a message”/ }).textContent).toContain('51,300');
  const files = await screen.findByRole('region', { name: 'Files' });
  expect(await within(files).findByText('51,300 users added of 51,309 rows')).toBeDefined();
  expect(within(files).getByText('1 rejected row')).toBeDefined();
  expect(within(files).getByText(/too long/)).toBeDefined();
});

test('a user is found by the full id and removed from a list after a confirmation', async () => {
  const { api, user, address } = await openConsole('/suppressions', {
    answers: { 'DELETE /v1/suppressions/users/:user': () => new Response(null, { status: 204 }) },
  });
  await screen.findByRole('row', { name: /^“Send a message”/ });
  await user.type(screen.getByRole('searchbox'), 'u-1029{Enter}');
  await waitFor(() => expect(address()).toBe('/suppressions?user=u-1029'));
  expect(await screen.findByText('asked to by phone')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Remove from the list of “Send a message”' }));
  expect(api.requestsTo('DELETE /v1/suppressions/users/u-1029')).toHaveLength(0);
  await user.click(await screen.findByRole('button', { name: 'Remove' }));
  await waitFor(() =>
    expect(api.requestsTo('DELETE /v1/suppressions/users/u-1029').at(-1)?.query).toEqual({
      actionType: 'send-message',
    }),
  );
});

test('a user on no list is shown as such', async () => {
  await openConsole('/suppressions?user=u-2', {
    answers: { 'GET /v1/suppressions/users/:user': { userId: 'u-2', lists: [] } },
  });
  expect(await screen.findByText('is on no list')).toBeDefined();
});

test('users are added with a reason, and the number of new ones is shown', async () => {
  const [, list] = suppressionLists.items;
  const { api, user } = await openConsole('/suppressions', {
    answers: { 'POST /v1/suppressions': { ...list, people: 51_301, added: 1 } },
  });
  await user.click(await screen.findByRole('button', { name: 'Add users to the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add users' });
  await user.type(within(dialog).getByLabelText(/^User ids/), 'u-1, u-2 u-1');
  await user.type(within(dialog).getByLabelText('Reason'), 'complained');
  await user.click(within(dialog).getByRole('button', { name: 'Add 2 users' }));
  expect(await within(dialog).findByText('1 user added.')).toBeDefined();
  expect(api.requestsTo('POST /v1/suppressions').at(-1)?.body).toEqual({
    actionType: 'send-message',
    users: ['u-1', 'u-2'],
    note: 'complained',
  });
});

test('a file replaces a list only if the user chooses so, and the result is shown', async () => {
  const uploads: string[] = [];
  vi.stubGlobal(
    'XMLHttpRequest',
    fakeUploads(uploads, { ...suppressionUpload, mode: 'replace', people: 3, rejected: 0 }),
  );
  const { user } = await openConsole('/suppressions');
  await user.click(await screen.findByRole('button', { name: 'Upload a file for the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Upload a suppression list' });
  await user.upload(within(dialog).getByLabelText(/^File/), new File(['u-1\nu-2\nu-3\n'], 'users.csv'));
  await user.click(within(dialog).getByRole('button', { name: 'Replace the list', pressed: false }));
  const [, confirm] = within(dialog).getAllByRole('button', { name: 'Replace the list' });
  if (!confirm) throw new Error('there is no button that replaces the list');
  await user.click(confirm);
  expect(await within(dialog).findByText(/the list has 3 users now/)).toBeDefined();
  expect(uploads).toEqual([expect.stringMatching(/^POST .*actionType=send-message&mode=replace$/)]);
});

test('a file is previewed without countries, and the chosen column of users is sent', async () => {
  const uploads: string[] = [];
  vi.stubGlobal('XMLHttpRequest', fakeUploads(uploads, { ...suppressionUpload, people: 3, rejected: 0 }));
  const columns = [
    { name: 'id', use: 'user' },
    { name: 'phone', use: 'ignored' },
  ];
  const { api, user } = await openConsole('/suppressions', {
    answers: {
      'POST /v1/user-files/preview': ({ query }: FakeRequest) =>
        query['user'] === 'phone'
          ? { ...suppressionPreview, firstUsers: [{ line: 2, userId: '6591230000', country: null }] }
          : { ...suppressionPreview, columns },
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Upload a file for the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Upload a suppression list' });
  await user.upload(within(dialog).getByLabelText(/^File/), new File(['id,phone\nu-1,6591230000\n'], 'users.csv'));
  const table = await within(dialog).findByRole('table', { name: 'First users' });
  expect(within(table).getByRole('row', { name: 'u-1' })).toBeDefined();
  expect(within(table).queryByRole('columnheader', { name: 'Country' })).toBeNull();
  expect(within(dialog).queryByLabelText('Country of its users')).toBeNull();
  await user.selectOptions(within(dialog).getByLabelText('Column of user ids'), 'phone');
  expect(await within(dialog).findByRole('row', { name: '6591230000' })).toBeDefined();
  expect(api.requestsTo('POST /v1/user-files/preview').map(({ query }) => query)).toEqual([
    { countries: 'none' },
    { countries: 'none', user: 'phone' },
  ]);
  expect(uploads).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Upload' }));
  await within(dialog).findByRole('status');
  expect(uploads).toEqual([expect.stringMatching(/actionType=send-message&mode=add&user=phone$/)]);
});

test('a replacement that removes many users is sent again with the number of removals', async () => {
  const uploads: string[] = [];
  const refusal = {
    type: 'about:blank',
    title: 'Conflict',
    status: 409,
    code: 'replacement-not-confirmed',
    requestId: '',
    detail: 'the file replaces 9 people by 3: it removes 8 of them',
    errors: [{ pointer: '/confirmRemoved', code: 'replacement-not-confirmed', detail: 'has to be 8' }],
  };
  const done = { ...suppressionUpload, mode: 'replace', people: 3, rejected: 0 };
  vi.stubGlobal('XMLHttpRequest', fakeUploads(uploads, refusal, refusal.status));
  const { user } = await openConsole('/suppressions');
  await user.click(await screen.findByRole('button', { name: 'Upload a file for the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Upload a suppression list' });
  await user.upload(within(dialog).getByLabelText(/^File/), new File(['u-1\nu-2\nu-3\n'], 'users.csv'));
  await user.click(within(dialog).getByRole('button', { name: 'Replace the list', pressed: false }));
  expect(within(dialog).queryByLabelText('Users to remove')).toBeNull();
  const [, replace] = within(dialog).getAllByRole('button', { name: 'Replace the list' });
  if (!replace) throw new Error('there is no button that replaces the list');
  await user.click(replace);
  expect(await within(dialog).findByText(/it removes 8 of them/)).toBeDefined();
  vi.stubGlobal('XMLHttpRequest', fakeUploads(uploads, done));
  await user.type(within(dialog).getByLabelText('Users to remove'), '8');
  await user.click(replace);
  expect(await within(dialog).findByText(/the list has 3 users now/)).toBeDefined();
  expect(uploads.map((each) => each.replace(/^.*\?/, ''))).toEqual([
    'actionType=send-message&mode=replace',
    'actionType=send-message&mode=replace&confirmRemoved=8',
  ]);
});

test('a manager cannot change lists, and a failed request is shown', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await openConsole('/suppressions', {
    role: 'manager',
    answers: { 'GET /v1/suppressions': () => problem(503, 'unavailable', 'the database is away') },
  });
  expect((await screen.findByRole('button', { name: /^Upload a list/ })).getAttribute('aria-disabled')).toBe('true');
  // The request is retried twice before the error is shown.
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await screen.findByText('The lists could not be read')).toBeDefined();
});

test('list-words.ts parses pasted ids and describes uploads', () => {
  expect(parseUserIds(' u-1,u-2\nu-1\tu-3 ')).toEqual(['u-1', 'u-2', 'u-3']);
  expect(describeUpload({ ...suppressionUpload, state: 'failed', cause: 'it was cut off', people: 1 })).toBe(
    'it was cut off; 1 user added before',
  );
  expect(describeLastCall(30_000)).toBe('Calls claimed before may still start within 30 s.');
  expect(describeLastCall(null)).toBe('');
});
