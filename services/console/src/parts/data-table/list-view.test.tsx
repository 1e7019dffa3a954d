// @vitest-environment happy-dom
import { cleanup, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { ListView } from './list-view.tsx';

const refetch = vi.fn<() => void>();
const failure = new Error('the database does not answer');

interface Standing {
  error?: Error;
  items?: readonly string[];
}

function view({ error, items }: Standing) {
  return (
    <ListView
      what="The keys"
      query={{ error: error ?? null, refetch }}
      items={items}
      empty={<p>There is no key yet</p>}
    >
      <p>{items === undefined ? 'Loading' : items.join(', ')}</p>
    </ListView>
  );
}

afterEach(() => {
  cleanup();
  refetch.mockReset();
});

describe('a list view', () => {
  it('shows the table while its rows are loaded', () => {
    render(view({}));
    expect(screen.getByText('Loading')).toBeDefined();
  });

  it('shows the loaded rows', () => {
    render(view({ items: ['a', 'b'] }));
    expect(screen.getByText('a, b')).toBeDefined();
  });

  it('explains an empty list instead of showing a table without rows', () => {
    render(view({ items: [] }));
    expect(screen.getByText('There is no key yet')).toBeDefined();
  });

  it('shows an alert if the list could not be loaded, and retries on request', async () => {
    render(view({ error: failure }));
    expect(screen.getByRole('alert').textContent).toContain('The keys could not be read');
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(refetch).toHaveBeenCalledOnce();
  });

  it('keeps the error, and the focus on its button, during a retry', () => {
    const { rerender } = render(view({ error: failure }));
    screen.getByRole('button', { name: 'Try again' }).focus();
    rerender(view({}));
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Try again' }));
  });

  it('keeps the rows when a later request fails', () => {
    const { rerender } = render(view({ items: ['a'] }));
    rerender(view({ items: ['a'], error: failure }));
    expect(screen.getByText('a')).toBeDefined();
    expect(screen.queryByRole('alert')).toBeNull();
  });
});
