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
  /** `message` */
  one: string;
  /** Undefined while no item is known. */
  id: string | undefined;
  /** The place of the item among the items of its group; absent if it was asked for by its id. */
  place?: { index: number; items: number; onNewer: (() => void) | null; onOlder: (() => void) | null };
  error: unknown;
  onRetry: () => void;
  /** What a replay does. */
  footer: string;
  /** The item; undefined while it is read. */
  children: ReactNode;
}

/** One quarantined item with its content, and the ones beside it. */
export function ItemPanel({ one, id, place, error, onRetry, footer, children }: ItemPanelProps) {
  return (
    <Panel
      title={place ? `${formatCount(place.index + 1)} of ${formatCount(place.items)}` : `One ${one}`}
      note={id !== undefined && <CopyableId id={id} what={`id of the ${one}`} />}
      actions={place && <Neighbours onNewer={place.onNewer} onOlder={place.onOlder} />}
      footer={footer}
    >
      {error !== null ? (
        <Failed title={`The ${one} could not be read`} error={error} onRetry={onRetry} />
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
  /** Why the person may not replay or discard the item; undefined if the person may. */
  refusals: Readonly<Record<Verb, string | undefined>>;
  onDecide: (verb: Verb) => void;
}

/** The decisions about one item. */
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
