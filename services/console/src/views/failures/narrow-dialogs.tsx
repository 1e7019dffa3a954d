import { useState } from 'react';
import { wallClock } from '../../parts/times/zoned-times.ts';
import { Button } from '../../parts/controls/button.tsx';
import { TextInput } from '../../parts/controls/controls.tsx';
import { TimeInput } from '../../parts/controls/time-input.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { dueInstant } from '../../parts/jobs/due-field.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { useZone } from '../../parts/times/zone.ts';
import type { FailureFilter } from './failure-filter.ts';
import type { FailuresSearch } from './search.ts';

interface NarrowDialogProps {
  filter: FailureFilter;
  onFilter: (part: FailuresSearch) => void;
  onClose: () => void;
}

/** Filter for a batch: its users were in one call, and may have failed together. */
export function BatchDialog({ filter, onFilter, onClose }: NarrowDialogProps) {
  const [typed, setTyped] = useState(filter.batch === undefined ? '' : String(filter.batch));
  const batch = typedNumber(typed);
  const isWrong = batch === undefined || (batch !== null && (!Number.isInteger(batch) || batch < 0));
  const apply = () => {
    if (!isWrong) onFilter({ batch: batch ?? undefined });
    onClose();
  };
  return (
    <Dialog
      title="Failures of one batch"
      onClose={onClose}
      actions={<Ends isWrong={isWrong} onClose={onClose} apply={apply} />}
    >
      <FormField
        pointer="/batch"
        label="Batch"
        hint={isWrong ? 'Has to be a whole number' : 'Its number within the country, as shown in the list. Empty: any'}
      >
        {(control) => (
          <TextInput
            {...control}
            inputMode="numeric"
            value={typed}
            onText={setTyped}
            onKeyDown={({ key }) => key === 'Enter' && !isWrong && apply()}
            data-autofocus
          />
        )}
      </FormField>
    </Dialog>
  );
}

/** Filter for a time span, in the chosen zone. The address has instants, which do not depend on the zone. */
export function TimeDialog({ filter, onFilter, onClose }: NarrowDialogProps) {
  const { zone, label } = useZone();
  const formatInstant = (instant: string | undefined) => (instant === undefined ? '' : wallClock(instant, zone));
  const [from, setFrom] = useState(formatInstant(filter.failedFrom));
  const [until, setUntil] = useState(formatInstant(filter.failedUntil));
  const [failedFrom, failedUntil] = [instantIn(from, zone), instantIn(until, zone)];
  const isWrong = failedFrom === null || failedUntil === null;
  const apply = () => {
    if (!isWrong) onFilter({ failedFrom, failedUntil });
    onClose();
  };
  const hint = (instant: string | null | undefined) =>
    instant === null ? 'Such as 2026-12-01 09:00' : 'Empty: no limit';
  return (
    <Dialog
      title="Failures in a period"
      lead={`Times are in ${label}. A failure is recorded some milliseconds after the response.`}
      onClose={onClose}
      actions={<Ends isWrong={isWrong} onClose={onClose} apply={apply} />}
    >
      <div className="grid grid-cols-2 gap-3 items-start phone:grid-cols-1">
        <FormField pointer="/failedFrom" label="From" hint={hint(failedFrom)}>
          {(control) => <TimeInput {...control} value={from} onText={setFrom} data-autofocus />}
        </FormField>
        <FormField pointer="/failedUntil" label="Until" note="not included" hint={hint(failedUntil)}>
          {(control) => <TimeInput {...control} value={until} onText={setUntil} />}
        </FormField>
      </div>
    </Dialog>
  );
}

/** Returns undefined if the text is empty, null if it is not a time. */
function instantIn(typed: string, zone: string): string | null | undefined {
  return typed.trim() === '' ? undefined : dueInstant(typed, zone);
}

function Ends({ isWrong, onClose, apply }: { isWrong: boolean; onClose: () => void; apply: () => void }) {
  return (
    <>
      <Button onClick={onClose}>Cancel</Button>
      <Button kind="ink" disabled={isWrong} onClick={apply}>
        Apply filter
      </Button>
    </>
  );
}
