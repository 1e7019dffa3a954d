import { useId, useState } from 'react';
import { isZone, zoneNames } from '../parts/times/zoned-times.ts';
import { Button } from '../parts/controls/button.tsx';
import { TextInput } from '../parts/controls/controls.tsx';
import { Dialog } from '../parts/overlays/dialog.tsx';
import { useZone } from '../parts/times/zone.ts';

/** Dialog that sets any time zone for this browser; `T` switches between the usual zones. */
export function ZoneDialog({ onClose }: { onClose: () => void }) {
  const { zone, usual, choose } = useZone();
  const [typed, setTyped] = useState(zone);
  const id = useId();
  const wanted = typed.trim();
  const isKnown = isZone(wanted);
  const take = (each: string) => {
    choose(each);
    onClose();
  };
  return (
    <Dialog
      title="Time zone"
      lead="Applies to all times in this browser. Schedules of campaigns keep their own zones."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="ink" disabled={!isKnown} onClick={() => take(wanted)}>
            Use this zone
          </Button>
        </>
      }
    >
      <div className="row flex-wrap">
        {usual.map((each) => (
          <Button key={each} small aria-pressed={each === zone} onClick={() => take(each)}>
            {each}
          </Button>
        ))}
      </div>
      <div>
        <label className="lab" htmlFor={id}>
          Another zone
        </label>
        <TextInput
          id={id}
          list={`${id}-zones`}
          value={typed}
          onText={setTyped}
          placeholder="Asia/Singapore"
          aria-invalid={isKnown ? undefined : true}
          data-wrong={isKnown ? undefined : true}
          data-autofocus
          onKeyDown={({ key }) => key === 'Enter' && isKnown && take(wanted)}
        />
        <datalist id={`${id}-zones`}>
          {zoneNames().map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
        {!isKnown && <p className="hint c-bad">Unknown time zone. Example: Asia/Singapore</p>}
      </div>
    </Dialog>
  );
}
