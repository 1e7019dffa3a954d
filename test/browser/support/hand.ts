import type { Locator, Page } from 'playwright-core';

/** A person's mouse and keyboard on several pages. Every press of a button or field goes through it and is counted. */
export interface Hand {
  readonly clicks: number;
  /** Clicks the middle of the element, as soon as the element stands still and nothing lies over it. */
  press(target: Locator): Promise<void>;
  /** Clicks the field and types. */
  write(field: Locator, text: string): Promise<void>;
  /** Opens the list and chooses the option of this value with the arrow keys. */
  choose(list: Locator, value: string): Promise<void>;
}

export function createHand(): Hand {
  let clicks = 0;

  async function press(target: Locator): Promise<void> {
    // Scrolls and waits; it presses nothing.
    await target.click({ trial: true });
    const box = await target.boundingBox();
    if (!box) throw new Error('the element has no box');
    await target.page().mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    clicks++;
  }

  return {
    get clicks() {
      return clicks;
    },
    press,
    write: async (field, text) => {
      await press(field);
      await keyboardOf(field).type(text);
    },
    choose: async (list, value) => {
      const values = await Promise.all(
        (await list.locator('option:enabled').all()).map((option) => option.getAttribute('value')),
      );
      await press(list);
      const [from, to] = [values.indexOf(await list.inputValue()), values.indexOf(value)];
      if (to < 0) throw new Error(`the list has no ${value}`);
      for (let at = from; at < to; at++) await keyboardOf(list).press('ArrowDown');
      await keyboardOf(list).press('Enter');
    },
  };
}

const keyboardOf = (target: Locator): Page['keyboard'] => target.page().keyboard;
