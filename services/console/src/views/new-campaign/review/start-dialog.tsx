import type { Campaign } from '#client/types.gen.ts';
import { problemOf } from '../../../api/problems.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { Dialog } from '../../../parts/overlays/dialog.tsx';
import { Effects, type Effect } from '../../../parts/overlays/effects.tsx';
import { useZone } from '../../../parts/times/zone.ts';
import { reviewWarnings } from './review-lines.ts';
import { Icon } from '../../../parts/icon/icon.tsx';
import {
  audienceBounds,
  boundsText,
  callsOf,
  heldOutBounds,
  servedBounds,
  takesText,
} from '../../../parts/campaign/arithmetic.ts';
import { formatCount } from '../../../parts/words/numbers.ts';
import type { Editor } from '../editor/use-editor.ts';
import { whenInWords } from '../../../parts/when/when-words.ts';

interface StartDialogProps {
  editor: Editor;
  onClose: () => void;
  onStarted: (campaign: Campaign) => void;
  /** Something in the form is refused: it is shown there. */
  onRefused: () => void;
}

/** Before it starts: whom it reaches, how often it calls, when, and how long. */
export function StartDialog({ editor, onClose, onStarted, onRefused }: StartDialogProps) {
  const { form, save, start, draft, kept } = editor;
  const own = useZone();
  const isWorking = save.isPending || start.isPending;
  const error = save.error ?? start.error;
  const go = async () => {
    try {
      const saved = draft !== null && !kept.isChanged ? draft : await save.mutateAsync();
      onStarted(await start.mutateAsync(saved.id));
    } catch (refusal) {
      if (problemOf(refusal).errors.length > 0) onRefused();
    }
  };
  const verb = form.when.kind === 'now' ? 'Start' : 'Schedule';
  return (
    <Dialog
      title={`${verb} “${form.name.trim()}”?`}
      lead={whenInWords(form, own.zone)}
      onClose={onClose}
      actions={
        <>
          <span className="t3 sm">What has started is not changed any more; it can be paused and cancelled.</span>
          <span className="ml-auto row">
            <Button onClick={onClose} data-autofocus>
              Not yet
            </Button>
            <Button kind="ink" disabled={isWorking} onClick={() => void go()}>
              {isWorking ? `${verb}ing…`.replace('eing', 'ing') : `${verb} it`}
            </Button>
          </span>
        </>
      }
    >
      <Effects effects={effectsOf(editor)} />
      {warningsOf(editor).map((warning) => (
        <p key={warning} className="c-warn sm row gap-1.5 items-start">
          <Icon name="warn" size={14} />
          <span>{warning}</span>
        </p>
      ))}
      {error !== null && (
        <p className="c-bad sm" role="alert">
          {problemOf(error).detail}
        </p>
      )}
    </Dialog>
  );
}

/** What the review warned of: it is the last time to read it. */
function warningsOf({ standing: { preview }, definition }: Editor): string[] {
  return preview ? reviewWarnings(preview, definition) : [];
}

function effectsOf({ standing: { preview }, form }: Editor): Effect[] {
  if (!preview || preview.countries.length === 0) {
    return [
      { value: 'not known', unit: 'users', isHot: true, children: 'How many users it reaches could not be asked.' },
    ];
  }
  const audience = audienceBounds(preview);
  const held = preview.holdOutPercent;
  const calls = callsOf(preview.load);
  return [
    {
      value: boundsText(servedBounds(preview)),
      unit: 'users',
      isHot: true,
      children: `get the first step, ${form.steps[0]?.action ?? ''}, in ${form.countries.join(', ')}.`,
    },
    ...(held === 0
      ? []
      : [
          {
            value: boundsText(heldOutBounds(preview)),
            unit: 'users held out',
            children: `${held} % of ${boundsText(audience)} users get nothing, for comparison.`,
          },
        ]),
    {
      value: calls === null ? 'not known' : formatCount(calls),
      unit: 'calls at most',
      children: `through ${form.steps.length === 1 ? 'one step' : `${form.steps.length} steps`}: ${form.steps.map(({ action }) => action).join(', then ')}.`,
    },
    {
      value: takesText(preview.takesSeconds),
      unit: 'it takes',
      children: 'What is not called before the deadline expires.',
    },
  ];
}
