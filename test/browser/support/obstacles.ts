import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { smallTargets } from './small-targets.ts';

/** Width in pixels at which controls also have to be large enough for a finger. */
export const phone = 390;

/** Returns what keeps a person from using the page at this width. */
export async function obstacles(page: Page, width: number): Promise<string[]> {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const sideways = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
  return [
    ...violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`),
    ...(sideways > 0 ? [`the page is ${sideways} px wider than the window`] : []),
    ...(width === phone ? await smallTargets(page) : []),
  ];
}
