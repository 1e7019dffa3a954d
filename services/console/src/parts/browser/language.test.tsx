// @vitest-environment happy-dom
import { screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { openConsole } from '../../../testing/open-console.tsx';
import { ensureLanguage } from './language.ts';

const languages = Object.getOwnPropertyDescriptor(navigator, 'language');
afterEach(() => {
  if (languages) Object.defineProperty(navigator, 'language', languages);
  else Reflect.deleteProperty(navigator, 'language');
});

function speak(language: string): void {
  Object.defineProperty(navigator, 'language', { value: language, configurable: true });
}

test('a page with a chart opens in a browser without a valid language', async () => {
  speak('C');
  await openConsole('/runs/run_live');
  expect(await screen.findByRole('img', { name: /^Users per second/ })).toBeDefined();
});

test.each([
  ['C', 'en'],
  ['en_US.UTF-8', 'en'],
  ['', 'en'],
  ['de-CH', 'de-CH'],
])('a browser that reports %j is treated as %s', (reported, spoken) => {
  speak(reported);
  ensureLanguage(navigator);
  expect(navigator.language).toBe(spoken);
});
