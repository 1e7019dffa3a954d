import type { ReactNode } from 'react';
import { Modal } from './modal.tsx';

interface DialogProps {
  title: string;
  /** Beneath the title: what it is about. */
  lead?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Buttons; give `data-autofocus` to what can be undone, else to the field that confirms. */
  actions: ReactNode;
}

/** Asks or tells something, with its buttons at the foot. */
export function Dialog({ title, lead, onClose, children, actions }: DialogProps) {
  return (
    <Modal label={title} className="dialog" onClose={onClose}>
      <div className="dh1">
        <h2>{title}</h2>
        {lead !== undefined && <p className="t2 sm">{lead}</p>}
      </div>
      <div className="body">{children}</div>
      <div className="df">{actions}</div>
    </Modal>
  );
}
