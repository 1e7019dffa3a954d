import {
  useId,
  useRef,
  useState,
  type ComponentProps,
  type KeyboardEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';

/** What the button has to have that opens a menu. */
export interface MenuTarget {
  popoverTarget: string;
  'aria-haspopup': 'menu';
  'aria-expanded': boolean;
}

interface MenuProps {
  /** The button that opens it; the menu stands at it. */
  target: (target: MenuTarget) => ReactNode;
  /** Below the button it ends where the button ends, unless it starts where the button starts. */
  place?: 'below-end' | 'below-start' | 'above';
  /** `MenuItem`s, headings and lines; rendered while it is open. */
  children: ReactNode;
}

const places = { 'below-end': '', 'below-start': 'at-start', above: 'above' } as const;

/**
 * A native popover: Escape and a press elsewhere close it, and the button has the focus again. The arrows go through
 * what it offers.
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

/** A choice that does something. One that leads somewhere is a link with `menuItem`. */
export function MenuItem({ children, ...rest }: Omit<ComponentProps<'button'>, 'type' | 'className'>) {
  return (
    <button type="button" {...menuItem} {...rest}>
      {children}
    </button>
  );
}

/** What makes a link one of the choices. */
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
  const next = nextOf(event.key, at, items.length);
  if (next === undefined) return;
  event.preventDefault();
  items[next]?.focus();
}

/** The place of the item that a key leads to; from the last one it goes on with the first. */
export function nextOf(key: string, at: number, count: number): number | undefined {
  if (count === 0) return undefined;
  if (key === 'ArrowDown') return (at + 1) % count;
  if (key === 'ArrowUp') return (Math.max(at, 0) + count - 1) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}
