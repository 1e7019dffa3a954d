import {
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';

export interface MenuTarget {
  popoverTarget: string;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
}

interface MenuProps {
  /** Renders the button that opens the menu. The menu is placed at the button. */
  target: (target: MenuTarget) => ReactNode;
  /** Position of the menu: `below-end` aligns its right edge with the button, `below-start` its left edge. */
  place?: 'below-end' | 'below-start' | 'above';
  /** `MenuItem`s, headings and separators. They are rendered only while the menu is open. */
  children: ReactNode;
}

const places = { 'below-end': '', 'below-start': 'at-start', above: 'above' } as const;

/**
 * A menu in a native popover. Escape, or a press outside the menu, closes it. The arrow keys move between the items.
 */
export function Menu({ target, place = 'below-end', children }: MenuProps) {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const list = useRef<HTMLDivElement>(null);
  return (
    <>
      {target({ popoverTarget: id, 'aria-haspopup': 'menu', 'aria-expanded': isOpen })}
      <div
        ref={list}
        id={id}
        popover="auto"
        role="menu"
        tabIndex={-1}
        className={`menu ${places[place]}`}
        onBeforeToggle={({ newState }) => setOpen(newState === 'open')}
        onToggle={({ newState }) => newState === 'open' && itemsOf(list.current)[0]?.focus()}
        onKeyDown={(event) => moveFocus(event, list.current)}
        onClick={(event) => isChoice(event) && list.current?.hidePopover()}
      >
        {isOpen && children}
      </div>
    </>
  );
}

/** An item that runs an action. For an item that opens a page, use a link with `menuItem`. */
export function MenuItem({ children, ...rest }: Omit<ComponentProps<'button'>, 'type' | 'className'>) {
  return (
    <button type="button" {...menuItem} {...rest}>
      {children}
    </button>
  );
}

export const menuItem = { role: 'menuitem', tabIndex: -1, className: 'menu-item' } as const;

function itemsOf(list: HTMLElement | null): HTMLElement[] {
  return [...(list?.querySelectorAll<HTMLElement>('[role^="menuitem"]') ?? [])];
}

function isChoice({ target }: MouseEvent): boolean {
  return target instanceof Element && target.closest('[role^="menuitem"]') !== null;
}

function moveFocus(event: KeyboardEvent, list: HTMLElement | null): void {
  if (event.key === 'Tab') list?.hidePopover();
  const items = itemsOf(list);
  const at = items.findIndex((item) => item === document.activeElement);
  const next = nextItemIndex(event.key, at, items.length);
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

/**
 * Returns the index of the item that a key leads to; undefined for other keys. After the last item, the first one
 * follows.
 */
export function nextItemIndex(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (Math.max(at, 0) + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
