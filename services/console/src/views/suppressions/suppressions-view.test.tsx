// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { suppressionLists, suppressionUpload } from '../../testing/engine.ts';
import { problem, type Asked } from '../../testing/fake-api.ts';
import { answeringUploads } from '../../testing/fake-upload.ts';
import { openConsole } from '../../testing/open-console.tsx';
import { suppressionPreview } from '../../testing/user-files.ts';
import { lastCallWords, uploadWords, usersIn } from './list-words.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('lists say how many people of which action type, and files what became of them', async () => {
  await openConsole('/suppressions');
  expect((await screen.findByRole('row', { name: /^every action type/ })).textContent).toContain('1,204');
  expect(screen.getByRole('row', { name: /^“Send a message”/ }).textContent).toContain('51,300');
  const files = await screen.findByRole('region', { name: 'Files' });
  expect(await within(files).findByText('51,300 people added of 51,309 rows')).toBeDefined();
  expect(within(files).getByText('1 bad row')).toBeDefined();
  expect(within(files).getByText(/too long/)).toBeDefined();
});

test('a user is searched by the whole id, in the address, and taken off when that is meant', async () => {
  const { api, user, address } = await openConsole('/suppressions', {
    answers: { 'DELETE /v1/suppressions/users/:user': () => new Response(null, { status: 204 }) },
  });
  await screen.findByRole('row', { name: /^“Send a message”/ });
  await user.type(screen.getByRole('searchbox'), 'u-1029{Enter}');
  await waitFor(() => expect(address()).toBe('/suppressions?user=u-1029'));
  expect(await screen.findByText('asked to by phone')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Take off the list of “Send a message”' }));
  expect(api.askedFor('DELETE /v1/suppressions/users/u-1029')).toHaveLength(0);
  await user.click(await screen.findByRole('button', { name: 'Take off' }));
  await waitFor(() =>
    expect(api.askedFor('DELETE /v1/suppressions/users/u-1029').at(-1)?.query).toEqual({ actionType: 'send-message' }),
  );
});

test('a user on no list is said to be on none', async () => {
  await openConsole('/suppressions?user=u-2', {
    answers: { 'GET /v1/suppressions/users/:user': { userId: 'u-2', lists: [] } },
  });
  expect(await screen.findByText('is on no list')).toBeDefined();
});

test('people are added with the reason, and it says how many were new', async () => {
  const [, list] = suppressionLists.items;
  const { api, user } = await openConsole('/suppressions', {
    answers: { 'POST /v1/suppressions': { ...list, people: 51_301, added: 1 } },
  });
  await user.click(await screen.findByRole('button', { name: 'Add people to the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Add people' });
  await user.type(within(dialog).getByLabelText(/^User ids/), 'u-1, u-2 u-1');
  await user.type(within(dialog).getByLabelText('Why'), 'complained');
  await user.click(within(dialog).getByRole('button', { name: 'Add 2 people' }));
  expect(await within(dialog).findByText('1 person added.')).toBeDefined();
  expect(api.askedFor('POST /v1/suppressions').at(-1)?.body).toEqual({
    ...{ actionType: 'send-message', users: ['u-1', 'u-2'], note: 'complained' },
  });
});

test('a file replaces a list only when that is chosen, and what came of it is said', async () => {
  const asked: string[] = [];
  vi.stubGlobal(
    'XMLHttpRequest',
    answeringUploads(asked, { ...suppressionUpload, mode: 'replace', people: 3, rejected: 0 }),
  );
  const { user } = await openConsole('/suppressions');
  await user.click(await screen.findByRole('button', { name: 'Upload a file for the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Upload a suppression list' });
  await user.upload(within(dialog).getByLabelText(/^File/), new File(['u-1\nu-2\nu-3\n'], 'users.csv'));
  await user.click(within(dialog).getByRole('button', { name: 'Replace the list', pressed: false }));
  const [, confirm] = within(dialog).getAllByRole('button', { name: 'Replace the list' });
  if (!confirm) throw new Error('there is no button that replaces the list');
  await user.click(confirm);
  expect(await within(dialog).findByText(/the list is 3 people since/)).toBeDefined();
  expect(asked).toEqual([expect.stringMatching(/^POST .*actionType=send-message&mode=replace$/)]);
});

test('a file is shown before it is uploaded, without countries, and another column of users is read and sent', async () => {
  const asked: string[] = [];
  vi.stubGlobal('XMLHttpRequest', answeringUploads(asked, { ...suppressionUpload, people: 3, rejected: 0 }));
  const columns = [
    { name: 'id', use: 'user' },
    { name: 'phone', use: 'ignored' },
  ];
  const { api, user } = await openConsole('/suppressions', {
    answers: {
      'POST /v1/user-files/preview': ({ query }: Asked) =>
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
  expect(api.askedFor('POST /v1/user-files/preview').map(({ query }) => query)).toEqual([
    { countries: 'none' },
    { countries: 'none', user: 'phone' },
  ]);
  expect(asked).toEqual([]);
  await user.click(within(dialog).getByRole('button', { name: 'Upload' }));
  await within(dialog).findByRole('status');
  expect(asked).toEqual([expect.stringMatching(/actionType=send-message&mode=add&user=phone$/)]);
});

test('a replacement that removes many people is sent again with their number', async () => {
  const asked: string[] = [];
  const refusal = {
    ...{ type: 'about:blank', title: 'Conflict', status: 409, code: 'replacement-not-confirmed', requestId: '' },
    detail: 'the file replaces 9 people by 3: it removes 8 of them',
    errors: [{ pointer: '/confirmRemoved', code: 'replacement-not-confirmed', detail: 'has to be 8' }],
  };
  const done = { ...suppressionUpload, mode: 'replace', people: 3, rejected: 0 };
  vi.stubGlobal('XMLHttpRequest', answeringUploads(asked, refusal, refusal.status));
  const { user } = await openConsole('/suppressions');
  await user.click(await screen.findByRole('button', { name: 'Upload a file for the list of “Send a message”' }));
  const dialog = await screen.findByRole('dialog', { name: 'Upload a suppression list' });
  await user.upload(within(dialog).getByLabelText(/^File/), new File(['u-1\nu-2\nu-3\n'], 'users.csv'));
  await user.click(within(dialog).getByRole('button', { name: 'Replace the list', pressed: false }));
  expect(within(dialog).queryByLabelText('People to remove')).toBeNull();
  const [, replace] = within(dialog).getAllByRole('button', { name: 'Replace the list' });
  if (!replace) throw new Error('there is no button that replaces the list');
  await user.click(replace);
  expect(await within(dialog).findByText(/it removes 8 of them/)).toBeDefined();
  vi.stubGlobal('XMLHttpRequest', answeringUploads(asked, done));
  await user.type(within(dialog).getByLabelText('People to remove'), '8');
  await user.click(replace);
  expect(await within(dialog).findByText(/the list is 3 people since/)).toBeDefined();
  expect(asked.map((each) => each.replace(/^.*\?/, ''))).toEqual([
    'actionType=send-message&mode=replace',
    'actionType=send-message&mode=replace&confirmRemoved=8',
  ]);
});

test('nobody but operators changes lists, and a list that cannot be read says why', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
  await openConsole('/suppressions', {
    role: 'manager',
    answers: { 'GET /v1/suppressions': () => problem(503, 'unavailable', 'the database is away') },
  });
  expect((await screen.findByRole('button', { name: /^Upload a list/ })).getAttribute('aria-disabled')).toBe('true');
  // It is asked for again twice before.
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await screen.findByText('The lists could not be read')).toBeDefined();
});

test('ids are taken as they are pasted, each once', () => {
  expect(usersIn(' u-1,u-2\nu-1\tu-3 ')).toEqual(['u-1', 'u-2', 'u-3']);
  expect(uploadWords({ ...suppressionUpload, state: 'failed', cause: 'it was cut off', people: 1 })).toBe(
    'it was cut off; 1 person added before',
  );
  expect(lastCallWords(30_000)).toBe('A call to them that was claimed before may still begin within 30 s.');
  expect(lastCallWords(null)).toBe('');
});
