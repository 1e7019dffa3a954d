import { Fragment, useState } from 'react';
import { Button } from '../controls/button.tsx';
import { Dialog } from '../overlays/dialog.tsx';
import { OutcomeKey } from './outcome-bar.tsx';
import { outcomeMeanings, outcomeOrder } from './outcomes.ts';

export function WordsButton() {
  const [isOpen, setOpen] = useState(false);
  const close = () => setOpen(false);
  return (
    <>
      <button type="button" className="link" onClick={() => setOpen(true)}>
        What each word counts
      </button>
      {isOpen && (
        <Dialog
          title="What each word counts"
          lead="Each user ends each step in exactly one of these ways, once."
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
