import { Modal } from '@mantine/core';
import type { ReactNode } from 'react';

interface DialogProps {
  title: string;
  /** Beneath the title: what it is about. */
  lead?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Buttons; give `data-autofocus` to what can be undone, else to the field that confirms. */
  actions: ReactNode;
}

/** Keeps the focus until it is closed and gives it back then; Esc closes. It is shown for as long as it is rendered. */
export function Dialog({ title, lead, onClose, children, actions }: DialogProps) {
  return (
    <Modal.Root opened onClose={onClose} centered size={600} classNames={{ content: 'dialog' }} lockScroll={false}>
      <Modal.Overlay />
      <Modal.Content aria-label={title}>
        <div className="dh1">
          <h2>{title}</h2>
          {lead !== undefined && <p className="t2 sm">{lead}</p>}
        </div>
        <div className="body">{children}</div>
        <div className="df">{actions}</div>
      </Modal.Content>
    </Modal.Root>
  );
}
