import { useState } from 'react';
import { Button } from '../controls/button.tsx';
import { formatCount } from '../words/numbers.ts';
import { SettleDialog, type SettledRun } from './settle-dialog.tsx';
import { unknownLines, unknownUsers } from './unknown-lines.ts';
import { useSettlements } from './use-settlements.ts';

/**
 * Button and dialog that settle users with an unknown outcome. The dialog continues to show the result after no unknown
 * users are left. Settlements in the background are polled even after the dialog is closed.
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
