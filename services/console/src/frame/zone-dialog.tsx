import { useId, useState } from 'react';
import { isZone, zoneNames } from '../parts/when/zoned-times.ts';
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
      title="Times in which zone?"
      lead="Of every time in this browser. Plans of campaigns keep the zones that they name."
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Leave it</Button>
          <Button kind="ink" disabled={!isKnown} onClick={() => take(wanted)}>
            Show times there
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
        {!isKnown && <p className="hint c-bad">No zone that is known here, such as Asia/Singapore</p>}
      </div>
    </Dialog>
  );
}
