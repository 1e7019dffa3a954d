import type { Locator } from 'playwright-core';

/** `3400` as the console shows it: `3,400`. */
export const displayed = (count: number): string => count.toLocaleString('en-US');

/** Returns the numbers in a text, as they are written there. */
export function numbersIn(text: string): string[] {
  return text.match(/\d(?:[\d,]*\d)?(?:\.\d+)?/g) ?? [];
}

/** Texts of the elements, with single blanks between words. */
export async function textsOf(elements: Locator): Promise<string[]> {
  return (await elements.allTextContents()).map((text) => text.replaceAll(/\s+/g, ' ').trim());
}

/** Returns the cells of each row of a table, without its head. */
export async function cellsOf(table: Locator): Promise<string[][]> {
  const rows = await table.locator('tbody tr').all();
  return Promise.all(rows.map((row) => textsOf(row.locator('th, td'))));
}

/** Returns each effect that a dialog names: its number with the unit, and the numbers in its sentence. */
export async function effectsOf(dialog: Locator): Promise<[string, string[]][]> {
  const lines = await dialog
    .locator('.box > div')
    .filter({ has: dialog.page().locator('small') })
    .all();
  return Promise.all(
    lines.map(async (line): Promise<[string, string[]]> => {
      const [value = ''] = await textsOf(line.locator('b').first());
      const [unit = ''] = await textsOf(line.locator('small').first());
      const [sentence = ''] = await textsOf(line.locator('p'));
      return [`${value} ${unit}`, numbersIn(sentence)];
    }),
  );
}

/** Returns the value and the note of each key figure of a page, by its name. */
export async function figuresOf(page: Locator): Promise<Map<string, string>> {
  const figures = await page.locator('.kpi').all();
  const entries = figures.map(async (figure) => {
    const [name = ''] = await textsOf(figure.locator('dt'));
    return [name, (await textsOf(figure.locator('dd'))).join(' | ')] as const;
  });
  return new Map(await Promise.all(entries));
}
