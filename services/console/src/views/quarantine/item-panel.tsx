import type { ReactNode } from 'react';
import { Button } from '../../parts/controls/button.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { SkeletonBar } from '../../parts/standing/skeleton.tsx';
import { Failed } from '../../parts/standing/states.tsx';
import { formatCount } from '../../parts/words/numbers.ts';
import type { Verb } from './item-list.tsx';
import { Neighbours } from './neighbours.tsx';

interface ItemPanelProps {
  noun: string;
  id: string | undefined;
  /** Position of the item within its group; undefined if it was requested by its id. */
  place?: { index: number; items: number; onNewer: (() => void) | null; onOlder: (() => void) | null };
  error: unknown;
  onRetry: () => void;
  footer: string;
  /** Content of the item; undefined while it is loaded. */
  children: ReactNode;
}

/** One quarantined item with its content, and buttons for the next and previous item. */
export function ItemPanel({ noun, id, place, error, onRetry, footer, children }: ItemPanelProps) {
  return (
    <Panel
      title={place ? `${formatCount(place.index + 1)} of ${formatCount(place.items)}` : `One ${noun}`}
      note={id !== undefined && <CopyableId id={id} what={`id of the ${noun}`} />}
      actions={place && <Neighbours onNewer={place.onNewer} onOlder={place.onOlder} />}
      footer={footer}
    >
      {error !== null ? (
        <Failed title={`The ${noun} could not be read`} error={error} onRetry={onRetry} />
      ) : (
        (children ?? (
          <div className="grid gap-3 px-4 pt-3 pb-3.5" aria-hidden="true">
            <SkeletonBar width={220} />
            <SkeletonBar width={180} />
          </div>
        ))
      )}
    </Panel>
  );
}

interface ItemButtonsProps {
  /** Reasons why the user may not replay or discard the item; undefined if the user may. */
  refusals: Readonly<Record<Verb, string | undefined>>;
  onDecide: (verb: Verb) => void;
}

export function ItemButtons({ refusals, onDecide }: ItemButtonsProps) {
  return (
    <>
      <Button small kind="bad" refusal={refusals.discard} onClick={() => onDecide('discard')}>
        Discard…
      </Button>
      <Button small icon="retry" refusal={refusals.replay} onClick={() => onDecide('replay')}>
        Replay…
      </Button>
    </>
  );
}
