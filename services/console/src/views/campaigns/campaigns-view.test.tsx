// @vitest-environment happy-dom
import { screen, within } from '@testing-library/react';
import { expect, test } from 'vitest';
import { openConsole } from '../../testing/open-console.tsx';

test('the list says of each campaign what state it is in and how many users are through', async () => {
  await openConsole('/campaigns');
  const row = await screen.findByRole('row', { name: /Payday, slowly/ });
  expect(within(row).getByText('Running')).toBeDefined();
});
