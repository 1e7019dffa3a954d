// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Mark } from './step-mark.tsx';

afterEach(cleanup);

test.each([
  ['done', 'done', 'c-ok'],
  ['partly', 'done with failures', 'c-ok'],
  ['failed', 'no user served', 'c-bad'],
  ['nobody', 'no user served', 't2'],
  ['waits', 'waits', 'c-warn'],
] as const)('a country that is %s is labelled “%s”', (mark, words, tone) => {
  const { container } = render(<Mark mark={mark} />);
  const [element] = container.children;
  expect(element?.textContent).toBe(words);
  expect(element?.classList.contains(tone)).toBe(true);
});

test('each result has its own shape, so that colour is not the only difference', () => {
  const shapes = (['done', 'partly', 'failed', 'nobody'] as const).map(
    (mark) => render(<Mark mark={mark} />).container.querySelector('svg')?.innerHTML,
  );
  expect(new Set(shapes).size).toBe(4);
});
