import { useLayoutEffect, useRef, type ReactNode } from 'react';

interface ModalProps {
  label: string;
  className: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A native dialog over the page. It is open while it is rendered, and focuses `data-autofocus` first. The browser keeps
 * the focus inside and restores it afterwards. Escape, and a press beside the dialog, call `onClose`.
 */
export function Modal({ label, className, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedBeside = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    element.showModal();
    element.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Closed before React removes it from the document: afterwards the browser cannot restore the focus.
    return () => element.close();
  }, []);
  return (
    <dialog
      ref={dialog}
      aria-label={label}
      className={className}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      // Selecting text may end with a click beside the dialog, but the press began inside.
      onPointerDown={({ target, currentTarget }) => {
        isPressedBeside.current = target === currentTarget;
      }}
      onClick={({ target, currentTarget }) => {
        if (isPressedBeside.current && target === currentTarget) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
