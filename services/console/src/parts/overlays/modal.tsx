import { useLayoutEffect, useRef, type ReactNode } from 'react';

interface ModalProps {
  label: string;
  className: string;
  onClose: () => void;
  children: ReactNode;
}

/**
 * A native dialog over the page. The dialog is open while it is rendered, and focuses the element with `data-autofocus`
 * first. The browser keeps the focus inside the dialog and restores it afterwards. Escape, or a press beside the
 * dialog, calls `onClose`.
 */
export function Modal({ label, className, onClose, children }: ModalProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const isPressedOutside = useRef(false);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (!element) return;
    element.showModal();
    element.querySelector<HTMLElement>('[data-autofocus]')?.focus();
    // Closes the dialog before React removes it from the document. Afterwards, the browser could not restore the focus.
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
      // A click beside the dialog closes it only if the press began there too. A text selection may begin inside and
      // end beside the dialog.
      onPointerDown={({ target, currentTarget }) => {
        isPressedOutside.current = target === currentTarget;
      }}
      onClick={({ target, currentTarget }) => {
        if (isPressedOutside.current && target === currentTarget) onClose();
      }}
    >
      {children}
    </dialog>
  );
}
