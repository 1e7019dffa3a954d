import { Effects, type Effect } from '../../parts/overlays/effects.tsx';
import { ConfirmDialog } from '../../parts/overlays/confirm-dialog.tsx';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import type { Verb } from './item-list.tsx';

interface DecisionDialogProps {
  verb: Verb;
  noun: string;
  items: number;
  /** Description of the items: `Award reward SG: not JSON`. */
  lead: string;
  effects: readonly Effect[];
  act: () => Promise<unknown>;
  onClose: () => void;
}

const titles = { replay: 'Replay', discard: 'Discard' } as const;

/** Confirmation of a replay or a discard, with the effects on items and users. */
export function DecisionDialog({ verb, noun, items, lead, effects, act, onClose }: DecisionDialogProps) {
  return (
    <ConfirmDialog
      title={`${titles[verb]} ${countOf(items, noun)}?`}
      lead={lead}
      verb={`${titles[verb]} ${formatCount(items)}`}
      leave="Not now"
      isGrave={verb === 'discard'}
      act={act}
      onClose={onClose}
    >
      <Effects effects={effects} />
    </ConfirmDialog>
  );
}
