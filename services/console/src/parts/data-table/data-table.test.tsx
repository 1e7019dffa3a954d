// @vitest-environment happy-dom
import { act, cleanup, render, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { actionsColumn, type Column } from './columns.tsx';
import { DataTable } from './data-table.tsx';

interface Country {
  code: string;
  name: string;
  users: number;
}

const countries: readonly Country[] = [
  { code: 'SG', name: 'Singapore', users: 1200 },
  { code: 'VN', name: 'Vietnam', users: 800 },
];

const columns: readonly Column<Country>[] = [
  { header: 'Country', isRowHeader: true, cell: ({ name }) => name },
  { header: 'Users', align: 'right', cell: ({ users }) => String(users) },
  { header: 'Code', hideBelow: 'phone', cell: ({ code }) => code },
  actionsColumn(({ code }) => <button type="button">Open {code}</button>),
];

type Change = Partial<Parameters<typeof DataTable<Country>>[0]>;

function renderTable(change: Change = {}) {
  return render(
    <DataTable
      caption="Countries, by name"
      columns={columns}
      rows={countries}
      keyOf={({ code }) => code}
      {...change}
    />,
  );
}

afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

describe('a data table', () => {
  it('is named by its caption', () => {
    renderTable();
    expect(screen.getByRole('table', { name: 'Countries, by name' })).toBeDefined();
  });

  it('has one column header for each column, with the scope of the column', () => {
    renderTable();
    const headers = screen.getAllByRole('columnheader');
    expect(headers.map(({ textContent }) => textContent)).toEqual(['Country', 'Users', 'Code', 'Actions']);
    expect(headers.map((header) => header.getAttribute('scope'))).toEqual(['col', 'col', 'col', 'col']);
  });

  it('shows the header of a column of buttons to screen readers alone', () => {
    renderTable();
    const header = screen.getByRole('columnheader', { name: 'Actions' });
    expect(header.querySelector('.sr-only')?.textContent).toBe('Actions');
  });

  it('names each row by the cell of its row header', () => {
    renderTable();
    const header = screen.getByRole('rowheader', { name: 'Singapore' });
    expect(header.getAttribute('scope')).toBe('row');
    expect(within(screen.getByRole('row', { name: /^Vietnam/ })).getByText('800')).toBeDefined();
  });

  it('aligns the header and the cells of a number in the same way', () => {
    renderTable();
    expect(screen.getByRole('columnheader', { name: 'Users' }).className).toBe('text-right');
    expect(screen.getByRole('cell', { name: '1200' }).className).toBe('text-right');
  });

  it('hides a whole column on a phone: its header, its cells and its loading bars', () => {
    const { container, rerender } = renderTable();
    expect(container.querySelectorAll('.wide')).toHaveLength(1 + countries.length);
    rerender(<DataTable caption="Countries" columns={columns} rows={undefined} keyOf={({ code }) => code} />);
    expect(container.querySelectorAll('tbody .wide')).toHaveLength(4);
  });

  it('puts the second line of a cell below the first one', () => {
    renderTable({ columns: [{ header: 'Country', cell: ({ name }) => name, below: ({ code }) => `code ${code}` }] });
    const [first] = screen.getAllByRole('cell');
    expect([...(first?.children ?? [])].map(({ textContent }) => textContent)).toEqual(['Singapore', 'code SG']);
  });

  it('makes the whole text of a cut cell available', () => {
    renderTable({ columns: [{ header: 'Country', look: 'truncate', title: ({ name }) => name, cell: () => 'S…' }] });
    expect(screen.getAllByRole('cell')[0]?.title).toBe('Singapore');
  });

  it('opens a detail below its row in the width of all columns', () => {
    renderTable({ detail: ({ code }) => code === 'SG' && 'More about Singapore' });
    const detail = screen.getByRole('cell', { name: 'More about Singapore' });
    expect(detail.getAttribute('colspan')).toBe('4');
    expect(screen.getAllByRole('row')).toHaveLength(4);
  });
});

describe('a data table of which one row changes', () => {
  it('renders only that row again, as long as its columns are the same', () => {
    const drawn: string[] = [];
    const logged: readonly Column<Country>[] = [
      {
        header: 'Country',
        cell: ({ code }) => {
          drawn.push(code);
          return code;
        },
      },
    ];
    const keyOf = ({ code }: Country) => code;
    const table = (rows: readonly Country[]) => (
      <DataTable caption="Countries" columns={logged} rows={rows} keyOf={keyOf} />
    );
    const [first, second] = [
      { code: 'SG', name: 'Singapore', users: 1200 },
      { code: 'VN', name: 'Vietnam', users: 800 },
    ];
    const { rerender } = render(table([first, second]));
    drawn.length = 0;
    rerender(table([first, { ...second, users: 801 }]));
    expect(drawn).toEqual(['VN']);
  });
});

describe('a data table whose headers are hidden from sight', () => {
  it('keeps them for screen readers, and the widths of its columns', () => {
    const { container } = renderTable({
      isHeadHidden: true,
      columns: [
        { header: 'Country', width: 'w-20', cell: ({ name }) => name },
        { header: 'Users', hideBelow: 'phone', cell: ({ users }) => users },
      ],
    });
    expect(screen.getAllByRole('columnheader')).toHaveLength(2);
    expect(container.querySelector('thead')?.className).toBe('sr-only');
    const widths = [...container.querySelectorAll('col')].map(({ className }) => className);
    expect(widths).toEqual(['w-20', 'wide']);
  });
});

describe('a data table that is sorted', () => {
  it('announces the order at the sorted column', () => {
    renderTable({ columns: [{ header: 'Users', sorted: 'descending', cell: ({ users }) => users }] });
    expect(screen.getByRole('columnheader', { name: 'Users' }).getAttribute('aria-sort')).toBe('descending');
  });

  it('sorts by a column whose header is pressed', async () => {
    const onSort = vi.fn<() => void>();
    renderTable({ columns: [{ header: 'Country', onSort, cell: ({ name }) => name }] });
    await userEvent.click(screen.getByRole('button', { name: 'Country' }));
    expect(onSort).toHaveBeenCalledOnce();
  });
});

describe('a data table whose rows are loading', () => {
  it('hides its loading rows from screen readers and keeps their number', () => {
    const { container } = renderTable({ rows: undefined, loadingRows: 6 });
    expect(container.querySelectorAll('tbody tr[aria-hidden="true"]')).toHaveLength(6);
    expect(screen.getAllByRole('row')).toHaveLength(1);
  });

  it('shows no loading bars for the first 200 ms', () => {
    vi.useFakeTimers();
    const { container } = renderTable({ rows: undefined });
    expect(container.querySelector('.sk')).toBeNull();
    act(() => {
      vi.advanceTimersByTime(200);
    });
    expect(container.querySelectorAll('.sk')).toHaveLength(4 * columns.length);
  });
});

describe('a data table with keyboard navigation', () => {
  const withKeys: Change = {
    hasRowKeys: true,
    columns: [
      {
        header: 'Chosen',
        cell: ({ code }) => <input type="checkbox" aria-label={`Choose ${code}`} data-row-select />,
      },
      {
        header: 'Country',
        cell: ({ name }) => (
          <button type="button" data-row-link>
            {name}
          </button>
        ),
      },
    ],
  };

  beforeEach(() => {
    // happy-dom has no layout, but only visible rows take the focus.
    vi.spyOn(HTMLElement.prototype, 'getClientRects').mockReturnValue(
      Object.assign([new DOMRect()], { item: () => null }),
    );
  });

  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('moves between rows by the arrow keys', async () => {
    renderTable(withKeys);
    screen.getByRole('button', { name: 'Singapore' }).focus();
    await userEvent.keyboard('{ArrowDown}');
    expect(document.activeElement?.textContent).toBe('Vietnam');
    await userEvent.keyboard('{ArrowUp}');
    expect(document.activeElement?.textContent).toBe('Singapore');
  });

  it('marks its rows for the keyboard, which a table without keyboard navigation does not', () => {
    const { container, rerender } = renderTable(withKeys);
    expect(container.querySelectorAll('tr[data-row]')).toHaveLength(2);
    rerender(<DataTable caption="Countries" columns={columns} rows={countries} keyOf={({ code }) => code} />);
    expect(container.querySelectorAll('tr[data-row]')).toHaveLength(0);
  });
});
