// @vitest-environment happy-dom
import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type * as outcomeBar from '../../parts/outcomes/outcome-bar.tsx';
import { openConsole, type OpenConsole } from '../../../testing/open-console.tsx';
import { progressOf, withOneMore } from '../../../testing/runs/many-lines.ts';

/** Audience of each bar that was drawn. Each line of a table has one bar. */
const drawn = vi.hoisted((): string[] => []);

vi.mock('../../parts/outcomes/outcome-bar.tsx', async (load) => {
  const real = await load<typeof outcomeBar>();
  return {
    ...real,
    OutcomeBar: (props: Parameters<typeof real.OutcomeBar>[0]) => {
      drawn.push(String(props.audience));
      return real.OutcomeBar(props);
    },
  };
});

const whole = progressOf();

async function open(): Promise<OpenConsole> {
  const opened = await openConsole('/runs/run_live', { answers: { 'GET /v1/runs/:id/progress': whole } });
  await screen.findByRole('table', { name: /^Countries/ });
  opened.api.sendEvent('progress', whole);
  await screen.findByText(/^updated \d+ s ago/);
  return opened;
}

/** Counts the bars drawn until the figures of the message are visible. */
async function drawnBy({ api }: OpenConsole, message: typeof whole): Promise<number> {
  const through = message.steps.at(-1)?.succeeded.toLocaleString('en') ?? '';
  drawn.length = 0;
  api.sendEvent('progress', message);
  await screen.findAllByText(new RegExp(through));
  return drawn.length;
}

beforeEach(() => {
  drawn.length = 0;
});

describe('a run of 40 countries and 5 steps', () => {
  test('is folded and has no more elements than a page with few countries', async () => {
    await open();
    expect(screen.getAllByRole('rowheader').length).toBeLessThan(20);
    expect(document.querySelectorAll('*').length).toBeLessThan(1200);
  });

  test('draws only the lines that a message changes', async () => {
    const opened = await open();
    await opened.user.click(screen.getByRole('button', { name: '40 under way' }));
    const table = screen.getByRole('table', { name: /^Countries/ });
    await waitFor(() => expect(within(table).getAllByRole('rowheader')).toHaveLength(42));
    // At most three lines render: all countries, the group of countries under way, and the changed country.
    expect(await drawnBy(opened, withOneMore(whole, 'AC', 5))).toBeLessThanOrEqual(3);
  });

  test('draws only the changed lines also if it is grouped by step and all steps are open', async () => {
    const opened = await open();
    const { user } = opened;
    await user.click(screen.getByRole('button', { name: 'Steps' }));
    const table = screen.getByRole('region', { name: 'Table of users by step and country' });
    for (const step of [2, 3, 4, 5]) {
      await user.click(within(table).getByRole('button', { name: `${step}\u2002Action ${step}` }));
    }
    expect(within(table).getAllByRole('rowheader')).toHaveLength(205);
    // Each line is rendered once, and not as a hidden card too.
    expect(screen.getAllByRole('img', { name: /of 1,000 users$/ })).toHaveLength(200);
    // At most two lines render: the step, and the country in this step.
    expect(await drawnBy(opened, withOneMore(whole, 'AC', 5))).toBeLessThanOrEqual(2);
  });
});
