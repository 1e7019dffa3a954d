import { Fragment, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { OutcomeKey } from './outcome-bar.tsx';
import { outcomeMeanings, outcomeOrder } from './outcomes.ts';

export function OutcomeMeaningsButton() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        What each outcome means
      </button>
      {isOpen && (
        <Dialog
          title="What each outcome means"
          lead="Each user ends each step with exactly one of these outcomes."
          onClose={close}
          actions={
            <Button data-autofocus onClick={close}>
              Close
            </Button>
          }
        >
          <dl className="kv">
            {outcomeOrder.map((outcome) => (
              <Fragment key={outcome}>
                <dt>
                  <OutcomeKey outcome={outcome} />
                </dt>
                <dd>{outcomeMeanings[outcome]}</dd>
              </Fragment>
            ))}
          </dl>
        </Dialog>
      )}
    </>
  );
}
