import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { formatCount } from '../words/numbers.ts';
import { SettleDialog, type SettledRun } from './settle-dialog.tsx';
import { unknownLines, unknownUsers } from './unknown-lines.ts';
import { useSettlements } from './use-settlements.ts';

/**
 * Button and dialog that settle unknown users. The dialog still shows the result when no user is unknown any more. A
 * settlement in the background is polled after the dialog is closed.
 */
export function SettleUnknown({ run }: { run: SettledRun }) {
  const [isOpen, setOpen] = useState(false);
  const users = unknownUsers(unknownLines(run));
  const settlements = useSettlements(run.runId, users > 0 || isOpen);
  const close = () => {
    setOpen(false);
    settlements.settle.reset();
  };
  return (
    <>
      {users > 0 && (
        <Button small icon="unknown" onClick={() => setOpen(true)}>
          Settle {formatCount(users)} unknown…
        </Button>
      )}
      {isOpen && <SettleDialog run={run} settlements={settlements} onClose={close} />}
    </>
  );
}
