// @vitest-environment happy-dom
import { cleanup, render } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { Mark } from './step-mark.tsx';

afterEach(cleanup);

test.each([
  ['done', 'done', 'c-ok'],
  ['partly', 'done with failures', 'c-ok'],
  ['failed', 'nobody served', 'c-bad'],
  ['nobody', 'nobody served', 't2'],
  ['waits', 'waits', 'c-warn'],
] as const)('a country that is %s says “%s”', (mark, words, tone) => {
  const { container } = render(<Mark mark={mark} />);
  const [shown] = container.children;
  expect(shown?.textContent).toBe(words);
  expect(shown?.classList.contains(tone)).toBe(true);
});

test('each end has a shape of its own, so that colour is not all that tells them apart', () => {
  const shapes = (['done', 'partly', 'failed', 'nobody'] as const).map(
    (mark) => render(<Mark mark={mark} />).container.querySelector('svg')?.innerHTML,
  );
  expect(new Set(shapes).size).toBe(4);
});
