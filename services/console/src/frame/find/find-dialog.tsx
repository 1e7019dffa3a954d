import { useNavigate, useParams } from '@tanstack/react-router';
import { useEffect, useEffectEvent, useId, useState, type KeyboardEvent } from 'react';
import { Icon } from '../../parts/icon/icon.tsx';
import { Modal } from '../../parts/overlays/modal.tsx';
import { useNavigation } from '../navigation/navigation.ts';
import { findTargets, type FindTarget } from './find-targets.ts';
import { useFindResults } from './use-find-results.ts';

/** Dialog of Ctrl/⌘ K: finds anything by its id or name. Arrows choose, Enter opens. */
export function FindDialog({ onClose }: { onClose: () => void }) {
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  /**
   * Text for which Enter was pressed before its results arrived. Until then, the list shows results of an earlier text.
   */
  const [awaited, setAwaited] = useState<string | null>(null);
  const navigate = useNavigate();
  const { runId } = useParams({ strict: false });
  const found = useFindResults(text);
  const entries = useNavigation().flatMap((group) => group.entries);
  const targets = uniqueById([...found.targets, ...findTargets(text, runId, entries)]);
  const current = Math.min(chosen, targets.length - 1);
  const listId = useId();

  function go(target: FindTarget | undefined): void {
    if (!target) return;
    onClose();
    void navigate(target.link);
  }

  const goToAwaited = useEffectEvent(() => go(targets[current]));
  const isAwaited = awaited === text && !found.isAsking;
  useEffect(() => {
    if (isAwaited) goToAwaited();
  }, [isAwaited]);

  function onKeyDown(event: KeyboardEvent): void {
    const steps: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (event.key === 'Enter' && found.isAsking) setAwaited(text);
    else if (event.key === 'Enter') go(targets[current]);
    else if (step !== undefined && targets.length > 0) setChosen((current + step + targets.length) % targets.length);
    else return;
    event.preventDefault();
  }

  return (
    <Modal
      label="Find or jump to"
      className="dialog w-[min(560px,100%-32px)] mt-[12vh] rounded-[12px]"
      onClose={onClose}
    >
      <div className="flex items-center gap-2.5 py-3.5 phone:py-1.5 px-4 border-b border-line text-faint">
        <Icon name="search" />
        <input
          className="bare text-lg text-main phone:h-10"
          data-autofocus
          role="combobox"
          aria-expanded="true"
          aria-controls={listId}
          aria-activedescendant={targets[current] && `${listId}-${current}`}
          aria-label="An id, a name or a page"
          placeholder={runId === undefined ? 'An id, a name or a page' : 'An id, a name, a page, or a user of this run'}
          value={text}
          onChange={({ target }) => {
            setText(target.value);
            setChosen(0);
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <ul id={listId} role="listbox" aria-label="Found" className="max-h-[50vh] overflow-auto p-1.5">
        {targets.map((target, index) => (
          <li
            key={target.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === current}
            className="flex items-center gap-2.5 min-h-8.5 phone:min-h-10 px-2.5 rounded-md text-quiet cursor-pointer aria-selected:bg-track aria-selected:text-main"
            onMouseMove={() => setChosen(index)}
            onClick={() => go(target)}
          >
            <Icon name={target.icon} />
            <span className="truncate">{target.label}</span>
            <span className={`ml-auto sm ${index === current ? 't2' : 't3'}`}>{target.kind}</span>
          </li>
        ))}
      </ul>
      {targets.length === 0 && !found.isAsking && (
        <p className="px-4 pt-1.5 pb-4.5 text-quiet" role="status">
          Nothing is called “{text}”. Ids begin with cmp_, run_, job_, dlt_; a shard is written award-reward.VN.
        </p>
      )}
    </Modal>
  );
}

/** Removes targets with the same id. Results of the server win, because they have more details. */
function uniqueById(targets: readonly FindTarget[]): FindTarget[] {
  return [...new Map(targets.toReversed().map((target) => [target.id, target])).values()].toReversed();
}
