import { useEffect, useId, useRef, useState, type ComponentProps, type ReactNode } from 'react';

export type TooltipTarget = Pick<
  ComponentProps<'button'>,
  | 'aria-describedby'
  | 'style'
  | 'onPointerEnter'
  | 'onPointerLeave'
  | 'onPointerDown'
  | 'onFocus'
  | 'onBlur'
  | 'onKeyDown'
>;

/** Time in milliseconds that the pointer has to rest on the control. */
const restMs = 300;

/**
 * A short text at a control while it has the focus, or the pointer rests on it. A press and Escape hide the text.
 * @param text undefined if there is no tooltip
 */
export function useTooltip(text: string | undefined): { target: TooltipTarget; tooltip: ReactNode } {
  const id = useId();
  const [isOpen, setOpen] = useState(false);
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(rest.current), []);
  if (text === undefined) return { target: {}, tooltip: null };
  const show = (afterMs: number) => {
    clearTimeout(rest.current);
    rest.current = setTimeout(() => setOpen(true), afterMs);
  };
  const hide = () => {
    clearTimeout(rest.current);
    setOpen(false);
  };
  const anchor = `--${id}`;
  const target: TooltipTarget = {
    'aria-describedby': isOpen ? id : undefined,
    style: { anchorName: anchor },
    onPointerEnter: ({ pointerType }) => show(pointerType === 'touch' ? 0 : restMs),
    onPointerLeave: hide,
    onPointerDown: ({ pointerType }) => pointerType !== 'touch' && hide(),
    onFocus: ({ currentTarget }) => currentTarget.matches(':focus-visible') && show(0),
    onBlur: hide,
    onKeyDown: ({ key }) => key === 'Escape' && hide(),
  };
  return { target, tooltip: isOpen ? <Tip id={id} anchor={anchor} text={text} /> : null };
}

function Tip({ id, anchor, text }: { id: string; anchor: string; text: string }) {
  const element = useRef<HTMLSpanElement>(null);
  useEffect(() => element.current?.showPopover(), []);
  return (
    <span ref={element} id={id} popover="manual" role="tooltip" className="tip" style={{ positionAnchor: anchor }}>
      {text}
    </span>
  );
}
