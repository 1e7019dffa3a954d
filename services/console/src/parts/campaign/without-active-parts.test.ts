// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { withoutActiveParts } from './without-active-parts.ts';

function cleaned(html: string): string {
  const page = new DOMParser().parseFromString(html, 'text/html');
  withoutActiveParts(page);
  return page.body.innerHTML;
}

it.each([
  ['<p style="color: red">Hi <b>Ada</b></p>', '<p style="color: red">Hi <b>Ada</b></p>'],
  ['<p>Hi</p><script>steal()</script>', '<p>Hi</p>'],
  ['<p onclick="steal()">Hi</p>', '<p>Hi</p>'],
  ['<img alt="Logo" src="https://eve.test/pixel.gif">', '<img alt="Logo">'],
  ['<img src="/v1/campaigns">', '<img>'],
  ['<img src="data:image/gif;base64,R0lGOD">', '<img src="data:image/gif;base64,R0lGOD">'],
  ['<table background="https://eve.test/x.png"></table>', '<table></table>'],
  ['<iframe src="https://eve.test"></iframe><p>Hi</p>', '<p>Hi</p>'],
])('the active parts of %s are removed from a displayed message', (html, rest) => {
  expect(cleaned(html)).toBe(rest);
});
