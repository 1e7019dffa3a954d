import type { ReactNode } from 'react';
import { plainText } from '../words/plain-text.ts';
import { Modal } from './modal.tsx';

interface DialogProps {
  title: string;
  isWide?: boolean;
  lead?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Buttons. Give `data-autofocus` to the main button if its action can be undone, else to the field that confirms. */
  actions: ReactNode;
}

const wide = 'dialog w-[min(728px,100%-32px)] phone:w-full';

/** A dialog with its buttons at the foot. Title and lead may contain names that users have typed. */
export function Dialog({ title: rawTitle, isWide = false, lead, onClose, children, actions }: DialogProps) {
  const title = plainText(rawTitle);
  return (
    <Modal label={title} className={isWide ? wide : 'dialog'} onClose={onClose}>
      <div className="pt-4.5 px-5 phone:pt-4 phone:px-4">
        <h2 className="text-lg leading-5.5">{title}</h2>
        {lead !== undefined && <p className="t2 sm">{typeof lead === 'string' ? plainText(lead) : lead}</p>}
      </div>
      <div className="grid grid-cols-1 gap-3.5 pt-3.5 px-5 pb-4.5 phone:pt-3 phone:px-4 phone:pb-4">{children}</div>
      <div className="flex justify-end items-center gap-2 py-3 px-5 border-t border-line phone:px-4 phone:pb-5 phone:[&_.btn]:flex-1 phone:[&_.btn]:h-11">
        {actions}
      </div>
    </Modal>
  );
}
